// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/poll.hpp>

#include <optional>
#include <vector>

namespace apsis::diagnostics {

/// Neighbours that a density is estimated from (Casertano & Hut 1985, ApJ 298, 80, advise six).
inline constexpr int density_neighbours = 6;

/// The mass density at each body [mass / length^3], estimated without bias: the masses of its
/// nearest neighbours, neither itself nor the sixth included, over the volume of the sphere whose
/// radius is the distance to the sixth (Casertano & Hut 1985, equation II.2, for unequal masses). 0
/// for bodies with fewer than six others. In double. Fences `space`. O(N^2): a few times as long as
/// a sweep of forces in double on the host, about as long on a GPU.
template <class Real>
std::vector<double> neighbour_densities(ExecutionSpace const& space, Bodies<Real> const& bodies,
                                        Poll const& poll = {});

struct DensityCentre {
  Vec3<double> position;  ///< [length]
  double core_radius;     ///< [length]
};

/// The mean of the bodies' places, weighted with their densities rho (equation II.3), and about it
/// the core radius as NBODY6 defines it, sqrt(sum rho^2 r^2 / sum rho^2). (The paper's own density
/// radius, sum rho r / sum rho, is larger and depends on the halo.) Nothing if no body has a
/// density, or one an infinite density: fewer than seven bodies, or seven in one place. O(N), on
/// the host.
std::optional<DensityCentre> density_centre(HostBodies const& bodies,
                                            std::vector<double> const& density);

}  // namespace apsis::diagnostics
