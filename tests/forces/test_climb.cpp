// SPDX-License-Identifier: Apache-2.0
#include "forces/fmm/climb.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

using namespace apsis;
using namespace apsis::forces::fmm;

namespace {

using Counts = Kokkos::View<std::uint64_t*, MemorySpace>;

struct CountBodies {
  Division division;
  Counts bodies;

  KOKKOS_FUNCTION void operator()(CellId cell) const {
    bodies(cell) = bodies(2 * cell);
    if (division.exists(2 * cell + 1)) bodies(cell) += bodies(2 * cell + 1);
  }
};

}  // namespace

TEST_CASE("cells are made of their halves once these are made, however many leaves there are") {
  ExecutionSpace const space;
  for (std::size_t const bodies : {1u, 8u, 9u, 17u, 40u, 4097u, 100003u}) {
    CAPTURE(bodies);
    auto const division = Division::of(bodies, 8);
    Arrivals const arrivals("arrivals", division.rows());
    Counts const counts("counts", division.rows());
    for (int turn = 0; turn < 2; ++turn) {
      auto const host = Kokkos::create_mirror_view(counts);
      Kokkos::deep_copy(host, 1000000000u);
      for (CellId leaf = division.first_leaf(); leaf < division.rows(); ++leaf) {
        host(leaf) = division.end(leaf) - division.begin(leaf);
      }
      Kokkos::deep_copy(counts, host);
      climb(space, "apsis::testing::climb", division, arrivals, CountBodies{division, counts});
      Kokkos::deep_copy(space, host, counts);
      space.fence();
      std::size_t wrong = 0;
      for (CellId cell = 1; cell < division.first_leaf(); ++cell) {
        if (!division.exists(cell)) continue;
        int const below = division.depth - division.level_of(cell);
        std::size_t const first = (std::size_t{cell} << below) - division.first_leaf();
        std::size_t const behind =
            std::min<std::size_t>(bodies, (first + (std::size_t{1} << below)) * division.leaf);
        wrong += host(cell) == behind - first * division.leaf ? 0u : 1u;
      }
      CHECK(wrong == 0);
      CHECK(host(1) == bodies);
    }
  }
}
