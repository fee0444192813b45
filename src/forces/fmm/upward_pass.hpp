// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forces/fmm/tree/cell_tree.hpp"
#include <apsis/core/backend.hpp>

#include <cstdint>
#include <string>

namespace apsis::forces::fmm {

/// Number of finished children of each cell, summed over all upward passes. It is even between
/// passes, so that it need not be reset. Cells with a single child are not counted.
using Arrivals = Kokkos::View<std::uint32_t*, MemorySpace>;

/// Upward pass: computes cells from their children, from the level above the leaves to the root, in
/// one launch instead of one per level. The thread that finishes the second child of a cell goes on
/// with that cell; the result does not depend on which thread it is.
template <class Compute>
struct UpwardPass {
  CellTree tree;
  Arrivals arrivals;
  Compute compute;

  KOKKOS_FUNCTION void operator()(CellId j) const {
    CellId cell = tree.first_leaf() / 2 + j;
    compute(cell);
    while (cell > 1) {
      bool const is_single_child = !tree.exists(cell | 1);
      cell /= 2;
      if (!is_single_child) {
        Kokkos::memory_fence();
        if (Kokkos::atomic_fetch_add(&arrivals(cell), 1u) % 2 == 0) return;
        Kokkos::memory_fence();
      }
      compute(cell);
    }
  }
};

/// Calls compute(cell) for each cell above the leaves, after its children are finished.
template <class Compute>
void upward_pass(ExecutionSpace const& space, std::string const& label, CellTree const& tree,
                 Arrivals const& arrivals, Compute const& compute) {
  if (tree.depth == 0) return;
  for_each<CellId>(space, label, tree.count_at(tree.depth - 1),
                   UpwardPass<Compute>{tree, arrivals, compute});
}

}  // namespace apsis::forces::fmm
