// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lanes/simd.hpp"
#include <apsis/core/backend.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace apsis::forces::fmm {

/// Number of a cell, as in a heap: 1 is the root, 2k and 2k + 1 are the children of k. With the
/// highest bit, body_flag, it is the index of a sorted body instead.
using CellId = std::uint32_t;
constexpr CellId body_flag = CellId{1} << 31;
constexpr std::size_t max_bodies = std::size_t{1} << 30;

/// Binary tree of cells over the sorted bodies. Each leaf holds the next `leaf_capacity` bodies;
/// each other cell joins two children. The tree depends on the number of bodies alone, so its
/// memory is known in advance and coincident bodies do not deepen it.
struct CellTree {
  std::size_t bodies = 0;
  std::size_t leaf_capacity = 1;  ///< bodies per leaf; the last leaf may have fewer
  CellId leaves = 0;
  int depth = 0;  ///< level of the leaves; the root has level 0

  static CellTree make(std::size_t bodies, std::size_t leaf_capacity) {
    CellTree tree{bodies, leaf_capacity,
                  static_cast<CellId>((bodies + leaf_capacity - 1) / leaf_capacity), 0};
    while ((CellId{1} << tree.depth) < tree.leaves) ++tree.depth;
    return tree;
  }

  KOKKOS_INLINE_FUNCTION CellId first_leaf() const { return CellId{1} << depth; }
  /// Number of rows of a table indexed by cell. Row 0 and rows of cells without leaves are unused.
  std::size_t rows() const { return std::size_t{first_leaf()} + leaves; }
  KOKKOS_INLINE_FUNCTION bool is_leaf(CellId cell) const { return cell >= first_leaf(); }
  KOKKOS_INLINE_FUNCTION static bool is_body(CellId cell) { return (cell & body_flag) != 0; }

  /// Number of cells of a level, the first of which is 2^level.
  KOKKOS_INLINE_FUNCTION CellId count_at(int level) const {
    int const levels_below = depth - level;
    return (leaves + (CellId{1} << levels_below) - 1) >> levels_below;
  }
  KOKKOS_INLINE_FUNCTION int level_of(CellId cell) const {
    return static_cast<int>(Kokkos::bit_width(cell)) - 1;
  }
  KOKKOS_INLINE_FUNCTION bool exists(CellId cell) const {
    int const level = level_of(cell);
    return cell - (CellId{1} << level) < count_at(level);
  }
  /// Range of ancestors of the leaves [begin_leaf, end_leaf), relative to the first cell of the
  /// level.
  CellId ancestor_begin(CellId begin_leaf, int level) const {
    return begin_leaf >> (depth - level);
  }
  CellId ancestor_end(CellId end_leaf, int level) const {
    return ((end_leaf - 1) >> (depth - level)) + 1;
  }
  /// Range [begin, end) of the bodies of a leaf.
  KOKKOS_INLINE_FUNCTION std::size_t begin(CellId leaf_cell) const {
    return (leaf_cell - first_leaf()) * leaf_capacity;
  }
  KOKKOS_INLINE_FUNCTION std::size_t end(CellId leaf_cell) const {
    std::size_t const end_body = begin(leaf_cell) + leaf_capacity;
    return end_body < bodies ? end_body : bodies;
  }
};

/// Lanes of a group, which processes as many bodies or sources together.
template <class Real>
inline constexpr int sweep_lanes = by_backend(simd::pack_lanes<Real>, 32);
/// Bodies per leaf: a warp, or full vector registers. (On hosts 16 and 32 take about as long: what
/// one saves in lists and M2L the other saves in P2P.)
template <class Real>
inline constexpr int leaf_size = 32;

/// Lanes that compute the sphere and the moments of a leaf. On a GPU 8 lanes load consecutive
/// bodies, and add their sums in few steps.
template <class Real>
inline constexpr int leaf_lanes = by_backend(sweep_lanes<Real>, 8);

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
