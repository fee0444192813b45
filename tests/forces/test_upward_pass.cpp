// SPDX-License-Identifier: Apache-2.0
#include "forces/fmm/tree/cell_tree.hpp"
#include "support/suites.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

using namespace apsis;
using namespace apsis::forces::fmm;

namespace {

using Counts = Kokkos::View<std::uint64_t*, MemorySpace>;

struct CountBodies {
  CellTree tree;
  Counts bodies;

  KOKKOS_FUNCTION void operator()(CellId cell) const {
    bodies(cell) = bodies(2 * cell);
    if (tree.exists(2 * cell + 1)) bodies(cell) += bodies(2 * cell + 1);
  }
};

}  // namespace

TEST_CASE("upward pass: each cell is computed after its children, for any number of leaves" *
          testing::thread_counts) {
  ExecutionSpace const space;
  for (std::size_t const bodies : {1u, 8u, 9u, 17u, 40u, 4097u, 100003u}) {
    CAPTURE(bodies);
    auto const tree = CellTree::make(bodies, 8);
    Arrivals const arrivals("arrivals", tree.rows());
    Counts const counts("counts", tree.rows());
    for (int pass = 0; pass < 2; ++pass) {
      auto const host = Kokkos::create_mirror_view(counts);
      Kokkos::deep_copy(host, 1000000000u);
      for (CellId leaf = tree.first_leaf(); leaf < tree.rows(); ++leaf) {
        host(leaf) = tree.end(leaf) - tree.begin(leaf);
      }
      Kokkos::deep_copy(counts, host);
      upward_pass(space, "apsis::testing::climb", tree, arrivals, CountBodies{tree, counts});
      Kokkos::deep_copy(space, host, counts);
      space.fence();
      std::size_t wrong = 0;
      for (CellId cell = 1; cell < tree.first_leaf(); ++cell) {
        if (!tree.exists(cell)) continue;
        int const below = tree.depth - tree.level_of(cell);
        std::size_t const first = (std::size_t{cell} << below) - tree.first_leaf();
        std::size_t const behind =
            std::min<std::size_t>(bodies, (first + (std::size_t{1} << below)) * tree.leaf_capacity);
        wrong += host(cell) == behind - first * tree.leaf_capacity ? 0u : 1u;
      }
      CHECK(wrong == 0);
      CHECK(host(1) == bodies);
    }
  }
}
