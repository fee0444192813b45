// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "entries.hpp"

/// The masses of the bodies of a cluster, which all cluster models share.
namespace apsis::initial_conditions {

/// The masses of the bodies [mass]. They depend on the seed and the body alone, and not on what
/// else is drawn for it.
struct Masses {
  std::vector<double> each;
  double total;
};
Masses drawn_masses(Values const& values);

/// Bodies of these masses in their places about the origin, together at rest.
HostBodies cluster(Values const& values, Masses masses, Place const& place);

/// Limits of a mass function that contradict each other, and solar masses in other units.
std::vector<Problem> check_masses(Values const& values, Units const& units);

/// A model in equilibrium whose parameters are `count` and `seed`, `mass` of the whole, the object
/// `masses`, and its own.
ModelEntry cluster_entry(std::string name, std::string doc, std::vector<Parameter> own,
                         HostBodies (*make)(Values const&, double G));

}  // namespace apsis::initial_conditions
