// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/parameter.hpp>
#include <apsis/core/registry.hpp>

#include <string>
#include <variant>

namespace apsis::integrators {

struct IntegratorEntry;

/// One line of the table of time step criteria; a deck's integrator.stepping.criterion.
struct CriterionEntry {
  std::string name;
  std::string doc;
  double eta;          ///< the default
  bool of_the_scheme;  ///< from derivatives that only some schemes know
};

Registry<CriterionEntry> const& criteria();

/// Every step is the time between synchronised times.
struct FixedSteps {};
/// One step for all bodies: that time, halved as often as a criterion asks.
struct AdaptiveSteps {
  bool by_the_scheme = true;  ///< by its own criterion; else by softened_acceleration_step()
  double eta = 0.02;
};
/// A step of its own for each body, halved as often as the scheme's criterion asks; by
/// softened_acceleration_step() where it has none.
struct BlockSteps {
  double eta = 0.02;
};
using Stepping = std::variant<FixedSteps, AdaptiveSteps, BlockSteps>;

/// `stepping`, the part of an integrator's parameters that says how long its steps are.
Parameter stepping_parameter(IntegratorEntry const& entry);

/// What it says in an integrator's values; fixed steps if it is not there.
Stepping stepping_of(Values const& values);

}  // namespace apsis::integrators
