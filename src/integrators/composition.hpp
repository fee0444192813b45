// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace apsis::integrators {

/// Symplectic and time-reversible composition scheme of drifts and kicks, as fractions of the step:
/// drift[0], kick[0], drift[1], ... kick[s - 1], drift[s]. One force evaluation per kick; if the
/// first and the last drift are 0, the last kick of a step and the first kick of the next one share
/// an evaluation.
struct Scheme {
  std::vector<std::string> names;  ///< all names in the literature
  std::string doc;
  int order;  ///< order of the energy error in dt
  std::vector<double> drift;
  std::vector<double> kick;
  std::vector<std::string> cite{};  ///< keys of the works to cite, of citations()

  bool kicks_first() const { return drift.front() == 0.0; }
};

/// Returns all schemes. Their sources name the paper of the coefficients.
std::vector<Scheme> const& schemes();

}  // namespace apsis::integrators
