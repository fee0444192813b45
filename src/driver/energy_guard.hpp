// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/text.hpp>
#include <apsis/diagnostics/conservation.hpp>
#include <apsis/driver/configuration.hpp>
#include <apsis/driver/loop.hpp>
#include <apsis/driver/remarks.hpp>

#include <vector>

namespace apsis::driver {

/// Holds every logged time against the limits and decides what becomes of the run. To retry is to
/// go back to the last time that was good, at most twice, and on from there with half the step, as
/// NBODY6 does (Aarseth 2003, Gravitational N-Body Simulations; its routine check.f).
class EnergyGuard {
 public:
  static constexpr int most_retries = 2;

  /// What is to be done: nothing, keep this time to go back to, go back, or end the run.
  enum class Verdict { go_on, keep, go_back, stop };

  /// `run` must outlive it.
  explicit EnergyGuard(Configuration const& run) : run_(run) {}

  /// The deck's limits that a run broke, each as its problem; empty if it is within all of them.
  /// A massless body that passed a massive one beyond the resolution of the steps breaks a limit of
  /// energy: its own error would be of the order of one.
  std::vector<Problem> broken_limits(diagnostics::Conservation const& now,
                                     std::optional<CoarsestPassage> const& passage = {}) const {
    std::vector<Problem> broken;
    auto const check = [&](std::string const& what, double error, std::optional<double> limit,
                           std::string const& key, std::string const& measure,
                           std::string const& advice) {
      if (!limit || error <= *limit) return;
      broken.push_back({"conservation." + key,
                        what + " " + shortest(error) + " exceeds the limit " + shortest(*limit),
                        "largest of the times in conservation.csv" + measure, advice});
    };
    check("relative energy error", now.max_relative_energy_error, run_.max_relative_energy_error,
          "max_relative_energy_error",
          ", over " + formula_of(now.energy_scale().measure) + " in the centre-of-mass frame",
          "reduce " + shorter_steps() + (is_unsoftened(run_) ? ", set gravity.softening" : "") +
              " or raise the limit");
    if (passage && !passage->is_resolved() && run_.max_relative_energy_error) {
      broken.push_back(
          {"conservation.max_relative_energy_error", passage_words(run_, *passage),
           "massless bodies are in no sum, and the energy error does not show it",
           "reduce " + shorter_steps() + (is_unsoftened(run_) ? " or set gravity.softening" : "")});
    }
    check("momentum error", now.max_momentum_error, run_.max_momentum_error, "max_momentum_error",
          "",
          rounds_momentum() ? "raise the limit (rounding makes it, whatever the step)"
                            : "reduce " + shorter_steps() + " or raise the limit");
    return broken;
  }

  /// Whether kicks of equal pairs are all that changes the momentum.
  bool rounds_momentum() const {
    return run_.integrator != nullptr && run_.integrator->derivatives == 0 &&
           !has_block_steps(run_);
  }

  /// What makes the steps shorter: with a criterion time_step is only the longest.
  std::string shorter_steps() const {
    auto const& values = run_.integrator_values;
    bool const fixed = run_.integrator == nullptr || !values.has("stepping") ||
                       !values.object("stepping").has("eta");
    return fixed ? "integrator.time_step" : "integrator.stepping.eta";
  }

  /// The verdict on a time that was just measured.
  Verdict judge(diagnostics::Conservation const& now,
                std::optional<CoarsestPassage> const& passage = {}) {
    if (run_.on_violation == OnViolation::report) return Verdict::go_on;
    bool const may_retry = run_.on_violation == OnViolation::retry && retries_ < most_retries;
    if (!broken_limits(now, passage).empty()) return may_retry ? Verdict::go_back : Verdict::stop;
    if (!may_retry) return Verdict::go_on;
    kept_ = now;
    return Verdict::keep;
  }

  /// Counts a retry: what was conserved up to the time that was kept.
  diagnostics::Conservation const& go_back() {
    ++retries_;
    return kept_;
  }

  int retries() const { return retries_; }

  void exchange(SavedState& state) {
    if (run_.on_violation != OnViolation::retry) return;
    state.exchange("guard/retries", retries_);
    kept_.exchange(state);
  }

 private:
  Configuration const& run_;
  diagnostics::Conservation kept_;
  int retries_ = 0;
};

}  // namespace apsis::driver
