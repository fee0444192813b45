// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "entries.hpp"

#include <vector>

namespace apsis::initial_conditions {

/// Mass function dN/dm of one or more power-law segments m^-exponent between limits. It is
/// continuous at the limits of the segments.
class MassFunction {
 public:
  /// Single power law dN/dm ~ m^-exponent from minimum to maximum (Salpeter 1955: exponent 2.35).
  static MassFunction power_law(double exponent, double minimum, double maximum) {
    return {{minimum, maximum}, {exponent}};
  }
  /// Mass function of Kroupa 2001, MNRAS 322, 231, equation 2, between the limits: exponents 0.3
  /// below 0.08, 1.3 below 0.5 and 2.3 above [solar masses].
  static MassFunction kroupa(double minimum, double maximum);

  /// Quantile of the mass: a fraction `u` in (0, 1) of the bodies is lighter. Inverts the
  /// cumulative distribution exactly, so that one uniform random number gives one mass.
  double mass(double u) const;

 private:
  struct Segment {
    double exponent, low, high;
    double weight;  ///< dN/dm at the lower limit, normalised to one body in total
    double below;   ///< fraction of the bodies in the segments below
  };

  /// Precondition: `limits` has one value more than `exponents`.
  MassFunction(std::vector<double> const& limits, std::vector<double> const& exponents);

  std::vector<Segment> segments_;
};

/// Masses of the bodies [mass]. They depend on seed and body alone, not on its other numbers.
struct Masses {
  std::vector<double> each;
  double total;
};
Masses drawn_masses(Values const& values);

/// Creates bodies of these masses with drawn positions and velocities, segregated by mass if
/// `masses.segregation` is set. Their centre of mass is at rest.
HostBodies make_cluster(Values const& values, Masses masses, double G, DrawBody const& draw);

/// Returns a problem if the limits of the mass function are not ascending, and if solar masses are
/// drawn but the unit of mass is another.
std::vector<Problem> check_masses(Values const& values, Units const& units);

/// Returns the entry of a cluster with the parameters `count`, `seed`, `mass` (the total mass), the
/// object `masses`, those of the model, and `virial_ratio`. A model without a `virial_ratio` of its
/// own is in equilibrium. Only a sphere that make_cluster() makes can be segregated by mass.
ModelEntry cluster_entry(std::string name, std::string doc, std::vector<Parameter> parameters,
                         HostBodies (*make)(Values const&, double G), bool is_sphere = true);

}  // namespace apsis::initial_conditions

/// Primordial mass segregation of spheres.
namespace apsis::initial_conditions {

/// Order of the bodies from the most to the least bound orbit, for a degree of segregation S in [0,
/// 1]: each body from the heaviest to the lightest takes the free place floor((1 - X^(1 - S)) F) of
/// the F free places, with X uniform in (0, 1) (McLuster, Kuepper et al. 2011, MNRAS 417, 2300). 0
/// is a random order, 1 is the order of the masses. O(N log N).
std::vector<std::size_t> segregated_order(std::vector<double> const& mass, double segregation,
                                          std::uint64_t seed);

/// Draws positions and velocities of a segregated sphere without changing its mass profile
/// (Baumgardt, De Marchi & Kroupa 2008, ApJ 685, 247). A pool of 16 to 64 orbits for each body is
/// drawn from the model and sorted by energy. The body at a place of segregated_order() takes an
/// orbit from the fraction of the pool that corresponds to its fraction of the mass: with the
/// bodies before it having the mass M_b, an orbit with a rank between M_b / M and (M_b + m) / M.
/// Energies are those in the potential of spherical shells of the pool.
void draw_segregated(HostBodies& bodies, Values const& values, double segregation, double G,
                     DrawBody const& draw);

}  // namespace apsis::initial_conditions
