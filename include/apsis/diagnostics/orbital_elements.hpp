// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/vec3.hpp>

#include <cmath>
#include <numbers>

namespace apsis::diagnostics {

/// Elements of the Kepler orbit of one body about another. Angles are in [0, 2 pi) [rad], except
/// where noted.
///
/// Conventions for undefined angles: an orbit in the xy plane has its node on the x axis (node 0),
/// and a circle has its pericentre at the node (argument 0). They apply to sin(inclination) and
/// eccentricities below 1e-12, which are rounding errors.
struct OrbitalElements {
  double semi_major_axis;         ///< a [length]; negative for a hyperbola, infinite for a parabola
  double eccentricity;            ///< e
  double inclination;             ///< angle of the angular momentum to z, in [0, pi]
  double ascending_node;          ///< longitude of the node from x
  double argument_of_pericentre;  ///< from the node, in the direction of motion
  double true_anomaly;            ///< from pericentre
  double mean_anomaly;            ///< hyperbola: e sinh F - F, not in [0, 2 pi); parabola: NaN
  double period;                  ///< [time]; infinite unless a > 0
};

/// Period [time] of a closed orbit with the semi-major axis a > 0 [length]; mu: G times the sum of
/// both masses.
inline double kepler_period(double a, double mu) {
  return 2.0 * std::numbers::pi * a * std::sqrt(a / mu);
}

/// Returns the elements of a body at `position` with `velocity` relative to another body, for
/// unsoftened gravity with the sum `total_mass` of both masses (Murray & Dermott 1999, Solar System
/// Dynamics, section 2.8). The angles are NaN for motion along a line, which has no plane.
OrbitalElements orbital_elements(double G, double total_mass, Vec3<double> const& position,
                                 Vec3<double> const& velocity);

}  // namespace apsis::diagnostics
