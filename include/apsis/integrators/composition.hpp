// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace apsis::integrators {

/// A symplectic and time-reversible scheme made of drifts and kicks, as fractions of the step:
/// drift[0], kick[0], drift[1], ... kick[s - 1], drift[s]. One force evaluation for each kick;
/// where the first and last drift are 0 the last kick and the next step's first share theirs.
struct Scheme {
  std::vector<std::string> names;  ///< all that the field calls it
  std::string doc;
  int order;  ///< of the energy error in dt
  std::vector<double> drift;
  std::vector<double> kick;

  bool kicks_first() const { return drift.front() == 0.0; }
};

/// Every scheme, each with the paper that its coefficients are from.
std::vector<Scheme> const& schemes();

}  // namespace apsis::integrators
