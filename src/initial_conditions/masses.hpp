// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "entries.hpp"

/// Masses of the bodies; shared by all cluster models.
namespace apsis::initial_conditions {

/// Masses of the bodies [mass]. They depend on the seed and the body only, not on other random
/// numbers of the body.
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
