// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/parameter.hpp>
#include <apsis/core/registry.hpp>

#include <optional>
#include <string>
#include <variant>

namespace apsis::integrators {

struct IntegratorEntry;

/// Entry of the table of time step criteria, for the key integrator.stepping.criterion of decks.
struct CriterionEntry {
  std::string name;
  std::string doc;
  double eta;                       ///< default of eta
  bool needs_scheme_derivatives;    ///< whether it uses derivatives that only some schemes evaluate
  std::vector<std::string> cite{};  ///< keys of the works to cite, of citations()
};

Registry<CriterionEntry> const& criteria();

/// Fixed steps: every step is the time between synchronised times.
struct FixedSteps {};
/// Adaptive shared steps: one step for all bodies, the time between synchronised times, halved
/// until the criterion allows it.
struct AdaptiveSteps {
  /// Whether the scheme's own criterion is used; otherwise softened_acceleration_step().
  bool use_scheme_criterion = true;
  double eta = 0.02;
};
/// Individual block steps: the step of each body is the time between synchronised times, halved
/// until the criterion allows it: the scheme's own criterion, or softened_acceleration_step() if
/// the scheme has none.
struct BlockSteps {
  double eta = 0.02;
};
/// Steps that the scheme chooses from an estimate of its own error.
struct OwnSteps {
  double epsilon = 1e-9;          ///< relative size of the neglected terms of a step
  std::optional<double> longest;  ///< longest step [time]
  bool judges_massless = false;   ///< whether massless bodies choose the common step too
};
using Stepping = std::variant<FixedSteps, AdaptiveSteps, BlockSteps, OwnSteps>;

/// Kinds of steps: values of the key `mode`.
enum class StepMode { fixed, adaptive, block, own };

/// Returns the kind of steps that the values of an integrator select; fixed if the key is absent.
StepMode step_mode(Values const& values);

/// Parameter `stepping` of an integrator, which controls the lengths of its steps.
Parameter stepping_parameter(IntegratorEntry const& entry);

/// Returns the stepping that the values of an integrator select; without the key fixed steps, or
/// those that the scheme chooses itself.
Stepping stepping_of(IntegratorEntry const& entry, Values const& values);

/// Number of equal steps in each time_step, for fixed steps.
int substeps_of(Values const& values);

}  // namespace apsis::integrators
