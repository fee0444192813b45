// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/bodies/read_columns.hpp>
#include <apsis/core/backend.hpp>
#include <apsis/core/poll.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

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

/// Number of neighbours of a density estimate (Casertano & Hut 1985, ApJ 298, 80, recommend six).
inline constexpr int density_neighbours = 6;

/// Unbiased estimate of the mass density at each body [mass / length^3]: the sum of the masses of
/// its five nearest neighbours, divided by the volume of the sphere that reaches to the sixth
/// (Casertano & Hut 1985, equation II.2, for unequal masses). 0 if there are fewer than six other
/// bodies. In double. Fences `space`. O(N log N) from neighbour_cells_from bodies on, O(N^2) below;
/// the bits depend neither on `search` nor on the number of threads.
std::vector<double> neighbour_densities(ExecutionSpace const& space, ReadBodies const& bodies,
                                        Poll const& poll = {},
                                        NeighbourSearch search = NeighbourSearch::by_size);

struct DensityCentre {
  Vec3<double> position;  ///< [length]
  double core_radius;     ///< [length]
};

/// Density centre and core radius. The centre is the mean of the positions weighted with the
/// densities rho (Casertano & Hut 1985, equation II.3); the core radius about it is that of NBODY6,
/// sqrt(sum rho^2 r^2 / sum rho^2). (The density radius of the paper, sum rho r / sum rho, is
/// larger and depends on the halo.) Empty if all densities are 0 or one is infinite: with fewer
/// than seven bodies, or with seven bodies at one position. O(N), on the host.
std::optional<DensityCentre> density_centre(HostBodies const& bodies,
                                            std::vector<double> const& density);

}  // namespace apsis::diagnostics
