// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/read_columns.hpp>
#include <apsis/core/poll.hpp>
#include <apsis/diagnostics/density_centre.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace apsis::diagnostics {

/// The nearest sources of each target, in ascending order of squared distance (in double) and, at
/// equal distances, of index. Row: target; column: neighbour. Where there are fewer neighbours
/// at a finite distance, the remaining columns have an infinite squared distance and the index 0.
template <int neighbours>
struct NearestSources {
  Kokkos::View<std::uint32_t* [neighbours], MemorySpace> index;
  Kokkos::View<double* [neighbours], MemorySpace> squared;  ///< [length^2]
};

/// Finds the nearest sources of all rows of `position`. The first `sources` rows are the sources;
/// no row is a source of itself. Both ways of NeighbourSearch have the same result, bitwise
/// independent of the number of threads. `poll` is called about every 0.1 s. Cells: O(N log N), at
/// any concentration and for coincident bodies; all pairs: O(sources x N). Does not fence at the
/// end. Instances: 1 and 6 neighbours. Precondition: fewer than 2^30 sources.
template <int neighbours>
NearestSources<neighbours> nearest_sources(ExecutionSpace const& space, std::string const& label,
                                           ReadColumns const& position, std::size_t sources,
                                           Poll const& poll = {},
                                           NeighbourSearch search = NeighbourSearch::by_size);

}  // namespace apsis::diagnostics
