// SPDX-License-Identifier: Apache-2.0
#include "apsis/integrators/stepping.hpp"

#include <apsis/integrators/integrator_entry.hpp>

namespace apsis::integrators {

namespace {
constexpr char const* adaptive_mode = "adaptive";
constexpr char const* block_mode = "block";
constexpr char const* own_mode = "own";
}  // namespace

Registry<CriterionEntry> const& criteria() {
  static Registry<CriterionEntry> const table{
      "criterion",
      {
          {"aarseth",
           "sqrt(eta (|a| |a''| + |a'|^2) / (|a'| |a'''| + |a''|^2)), eta inside the root (Aarseth "
           "1985)",
           0.02,
           true,
           {"Aarseth1985"}},
          {"nitadori_makino",
           "eta ((|a| |a''| + |a'|^2) / (|a'''| |a'''''| + |a''''|^2))^(1/6), eta outside the root "
           "(Nitadori & Makino 2008)",
           0.4,
           true,
           {"NitadoriMakino2008"}},
          {"softened_acceleration",
           "sqrt(2 eta eps / |a|) for the largest acceleration, as in GADGET and SWIFT",
           0.025,
           false,
           {"Springel2005"}},
      }};
  return table;
}

namespace {
/// Parameters of OwnSteps.
Parameter own_stepping_parameter() {
  return object(
             "stepping",
             std::vector<Form>{
                 {"mode",
                  own_mode,
                  "the scheme chooses its steps from an estimate of its error",
                  {number("epsilon", "relative size of the neglected terms of a step")
                       .at_least(1e-16)
                       .at_most(1e-3)
                       .with_default(OwnSteps().epsilon),
                   number("most", "longest step [time]; default: no limit but time_step")
                       .above(0.0),
                   choice("judged", {"massive", "all"},
                          "bodies that choose the common step: those with mass (all if fewer than "
                          "two have mass), or all; massless bodies are resolved in any case")
                       .with_default(std::string("massive"))},
                  true}},
             "step control; time_step is the time between synchronised times")
      .always_present();
}
}  // namespace

Parameter stepping_parameter(IntegratorEntry const& entry) {
  if (entry.has_own_steps()) return own_stepping_parameter();
  std::vector<std::string> names;
  std::string doc = "time step criterion";
  double eta = 0.0;
  for (auto const& criterion : criteria()) {
    if (criterion.needs_scheme_derivatives && criterion.name != entry.criterion) continue;
    if (names.empty()) eta = criterion.eta;
    names.push_back(criterion.name);
    doc += "; " + criterion.name + ": " + criterion.doc;
  }
  auto const accuracy = [&](double default_eta) {
    return number("eta", "accuracy parameter of the criterion")
        .above(0.0)
        .at_most(10.0)
        .with_default(default_eta);
  };
  auto const first = names.front();
  std::vector<Form> forms{
      {"mode", "fixed", "every step is time_step", {}, true},
  };
  if (!entry.needs_dominant_body) {
    forms.push_back({"mode",
                     adaptive_mode,
                     "one step for all bodies: time_step, halved until the criterion allows it",
                     {choice("criterion", names, doc).with_default(first), accuracy(eta)},
                     false});
  }
  if (entry.has_blocks()) {
    forms.push_back({"mode",
                     block_mode,
                     "individual steps: for each body time_step, halved until the criterion allows "
                     "it",
                     {accuracy(eta)},
                     false});
  }
  return object("stepping", std::move(forms),
                "step control; time_step is the time between synchronised times")
      .always_present();
}

StepMode step_mode(Values const& values) {
  if (!values.has("stepping") || !values.object("stepping").has("mode")) return StepMode::fixed;
  auto const& mode = values.object("stepping").text("mode");
  return mode == adaptive_mode ? StepMode::adaptive
         : mode == block_mode  ? StepMode::block
         : mode == own_mode    ? StepMode::own
                               : StepMode::fixed;
}

Stepping stepping_of(IntegratorEntry const& entry, Values const& values) {
  if (!values.has("stepping")) return entry.has_own_steps() ? Stepping(OwnSteps{}) : FixedSteps{};
  auto const& stepping = values.object("stepping");
  switch (step_mode(values)) {
    case StepMode::adaptive:
      return AdaptiveSteps{criteria().get(stepping.text("criterion")).needs_scheme_derivatives,
                           stepping.number("eta")};
    case StepMode::block:
      return BlockSteps{stepping.number("eta")};
    case StepMode::own: {
      OwnSteps steps{stepping.number("epsilon"), {}, stepping.text("judged") == "all"};
      if (stepping.has("most")) steps.longest = stepping.number("most");
      return steps;
    }
    case StepMode::fixed:
      break;
  }
  return FixedSteps{};
}

int substeps_of(Values const& values) {
  return values.has("substeps") ? static_cast<int>(values.integer("substeps")) : 1;
}

}  // namespace apsis::integrators
