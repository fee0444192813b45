// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/initial_conditions/random.hpp>

#include <functional>
#include <vector>

namespace apsis::initial_conditions {

/// The shape of a sphere: its density up to a factor, as a function of the radius.
struct DensityProfile {
  std::function<double(double)> density;
  std::function<double(double)> slope;  ///< d ln(density) / d ln(radius)
  double innermost;                     ///< [length]; the density is taken as constant further in
  double outermost;                     ///< [length]; nothing is further out
};

/// The double power law density r^-inner (1 + r / scale)^(inner - outer), times sech(r /
/// truncation) (McMillan & Dehnen 2007, MNRAS 378, 541). Inner and outer slope are 1, 4 for
/// Hernquist, 2, 4 for Jaffe, 1, 3 for Navarro, Frenk & White. Without the last factor the mean
/// radius of all three is infinite.
DensityProfile double_power_law(double inner, double outer, double scale, double truncation);

/// A sphere of bodies with isotropic velocities, in equilibrium with its own gravity and with that
/// of other mass, if there is any. Tables on a logarithmic grid of radii; making one costs
/// some 10^6 square roots.
class SphericalModel {
 public:
  /// Mass of the bodies, G, and the other mass inside a radius (may be empty). Throws a bad-input
  /// error if no isotropic velocities hold such a sphere together.
  SphericalModel(DensityProfile const& profile, double mass, double G,
                 std::function<double(double)> const& other_mass = {});

  /// The radius inside which this fraction of the bodies' mass is [length].
  double radius_of_mass(double fraction) const;
  /// The bodies' mass inside a radius, and its derivative by ln(radius) [mass].
  double enclosed_mass(double radius) const;
  double shell_mass(double radius) const;
  /// Minus the potential: positive, falling outwards [length^2 / time^2].
  double binding_potential(double radius) const;
  /// f(E) [mass time^3 / length^6] of the bodies, E = binding_potential - v^2 / 2: Eddington's
  /// formula, Binney & Tremaine 2008, equation 4.46b.
  double distribution_function(double energy) const;
  /// The speed of a body at a radius, drawn from v^2 f by rejection.
  double draw_speed(BodyRandom& random, double radius) const;

 private:
  std::vector<double> radius_;     ///< ascending
  std::vector<double> mass_;       ///< of the bodies inside it
  std::vector<double> shell_;      ///< d mass / d ln(radius)
  std::vector<double> energy_;     ///< of rest at it: minus the binding potential, ascending too
  std::vector<double> logarithm_;  ///< of f at this energy
  std::vector<double> largest_;    ///< largest v^2 f at this radius
};

}  // namespace apsis::initial_conditions
