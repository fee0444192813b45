// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/vec3.hpp>

namespace apsis::diagnostics {

/// The Kepler orbit of one body about another. Angles are in [0, 2 pi) [rad], except where noted.
///
/// Where an angle has no meaning a convention keeps the sums right: an orbit in the xy plane has
/// its node on the x axis (node 0), a circle its pericentre at the node (argument 0). Both hold
/// from 1e-12 down: less is rounding.
struct OrbitalElements {
  double semi_major_axis;         ///< a [length]; negative for a hyperbola, infinite for a parabola
  double eccentricity;            ///< e
  double inclination;             ///< of the angular momentum to z, in [0, pi]
  double ascending_node;          ///< its longitude from x
  double argument_of_pericentre;  ///< from the node, in the sense of the motion
  double true_anomaly;            ///< from pericentre
  double mean_anomaly;            ///< for a hyperbola any number: e sinh F - F; NaN for a parabola
  double period;                  ///< [time]; infinite unless a > 0
};

/// The elements of a body at `position` with `velocity` relative to another, attracted as two
/// masses of that sum attract each other, without softening (Murray & Dermott 1999, Solar System
/// Dynamics, section 2.8). For motion along a line, which has no plane, the angles are NaN.
OrbitalElements orbital_elements(double G, double total_mass, Vec3<double> const& position,
                                 Vec3<double> const& velocity);

}  // namespace apsis::diagnostics
