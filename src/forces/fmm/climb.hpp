// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "division.hpp"
#include <apsis/core/execution.hpp>

#include <cstdint>
#include <string>

namespace apsis::forces::fmm {

/// How often somebody came to each cell from one of its two halves: before a climb and after it an
/// even number.
using Arrivals = Kokkos::View<std::uint32_t*, MemorySpace>;

/// Makes cells of their halves, on the way from the leaves to the whole: who comes first to a cell
/// leaves it to who comes second, for whom both halves are there. What is made does not depend on
/// who that was. One launch instead of one for each level, most of which have few cells.
template <class Make>
struct Climb {
  Division division;
  Arrivals arrivals;
  Make make;

  KOKKOS_FUNCTION void operator()(CellId j) const {
    CellId cell = division.first_leaf() / 2 + j;
    make(cell);
    while (cell > 1) {
      bool const alone = !division.exists(cell | 1);
      cell /= 2;
      if (!alone) {
        Kokkos::memory_fence();
        if (Kokkos::atomic_fetch_add(&arrivals(cell), 1u) % 2 == 0) return;
        Kokkos::memory_fence();
      }
      make(cell);
    }
  }
};

/// make(cell) for each cell above the leaves, once its halves are made.
template <class Make>
void climb(ExecutionSpace const& space, std::string const& label, Division const& division,
           Arrivals const& arrivals, Make const& make) {
  if (division.depth == 0) return;
  Kokkos::parallel_for(label,
                       Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<CellId>>(
                           space, 0, division.count_at(division.depth - 1)),
                       Climb<Make>{division, arrivals, make});
}

}  // namespace apsis::forces::fmm
