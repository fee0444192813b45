// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "entries.hpp"

/// The masses of the bodies of a cluster, which all cluster models share.
namespace apsis::initial_conditions {

/// `count` and `seed`, `mass` of the whole, the object `masses`, and a model's own parameters.
std::vector<Parameter> with_masses(std::vector<Parameter> own);

/// The masses of the bodies [mass]. They depend on the seed and the body alone, and not on what
/// else is drawn for it.
struct Masses {
  std::vector<double> each;
  double total;
};
Masses drawn_masses(Values const& values);

/// Bodies of these masses in their places, about their centre of mass.
HostBodies cluster(Values const& values, Masses masses, Place const& place);

/// Limits of a mass function that contradict each other.
std::vector<Problem> check_masses(Values const& values);

}  // namespace apsis::initial_conditions
