// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/text.hpp>
#include <apsis/driver/energy_guard.hpp>

namespace apsis::driver {

std::vector<Problem> broken_limits(Configuration const& run,
                                   diagnostics::Conservation const& conservation) {
  std::vector<Problem> broken;
  auto const check = [&](std::string const& what, double error, std::optional<double> limit,
                         std::string const& key) {
    if (!limit || error <= *limit) return;
    broken.push_back({"conservation." + key,
                      what + " " + shortest(error) + " exceeds the limit " + shortest(*limit),
                      "largest of the times in conservation.csv",
                      "reduce integrator.time_step or raise the limit"});
  };
  check("relative energy error", conservation.max_relative_energy_error(),
        run.max_relative_energy_error, "max_relative_energy_error");
  check("momentum error", conservation.max_momentum_error(), run.max_momentum_error,
        "max_momentum_error");
  return broken;
}

EnergyGuard::Verdict EnergyGuard::judge(diagnostics::Conservation const& now) {
  if (run_.on_violation == OnViolation::report) return Verdict::go_on;
  bool const may_retry = run_.on_violation == OnViolation::retry && retries_ < most_retries;
  if (!broken_limits(run_, now).empty()) return may_retry ? Verdict::go_back : Verdict::stop;
  if (!may_retry) return Verdict::go_on;
  kept_ = now;
  return Verdict::keep;
}

diagnostics::Conservation const& EnergyGuard::go_back() {
  ++retries_;
  return kept_;
}

void EnergyGuard::exchange(SavedState& state) {
  if (run_.on_violation != OnViolation::retry) return;
  state.exchange("guard/retries", retries_);
  kept_.exchange(state);
}

}  // namespace apsis::driver
