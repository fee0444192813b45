// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/registry.hpp>

#include <string>

namespace apsis::integrators {

/// One line of the table of time step criteria; a deck's integrator.stepping.criterion.
struct CriterionEntry {
  std::string name;
  std::string doc;
  double eta;          ///< the default
  bool of_the_scheme;  ///< from derivatives that only some schemes know
};

Registry<CriterionEntry> const& criteria();

}  // namespace apsis::integrators
