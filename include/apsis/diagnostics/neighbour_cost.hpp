// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/backend.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace apsis::diagnostics {

/// Way in which nearest neighbours are found; it does not change any bit of the result.
enum class NeighbourSearch { by_size, all_pairs, cells };

/// Number of bodies from which on a search in cells is faster than one over all pairs.
inline constexpr std::size_t neighbour_cells_from = by_backend(3072, 16384);

/// Cost of a search for the neighbours of `bodies` bodies, relative to that of one pair of a search
/// over all pairs: N^2 below neighbour_cells_from, proportional to N log N from there on.
inline double neighbour_search_cost(double bodies) {
  constexpr auto least = static_cast<double>(neighbour_cells_from);
  if (bodies <= least) return bodies * bodies;
  return least * bodies * std::log(bodies) / std::log(least);
}

}  // namespace apsis::diagnostics
