// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace apsis::integrators {

/// One line of the table of time step criteria; a deck's integrator.stepping.criterion.
struct CriterionEntry {
  std::string name;
  std::string doc;
  double eta;          ///< the default
  bool of_the_scheme;  ///< from derivatives that only some schemes know
};

std::vector<CriterionEntry> const& criteria();
CriterionEntry const& criterion_named(std::string const& name);

}  // namespace apsis::integrators
