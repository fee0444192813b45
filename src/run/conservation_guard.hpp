// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/text.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/deck/remarks.hpp>
#include <apsis/diagnostics/conservation.hpp>
#include <apsis/run/loop.hpp>
#include <apsis/simulation/stop.hpp>

#include <vector>

namespace apsis::run {

/// Compares each logged time with the limits of the deck and decides how the run continues. With
/// "retry" the run rolls back to the last time within the limits and continues with half the step,
/// at most twice, as in NBODY6 (Aarseth 2003, Gravitational N-Body Simulations; routine check.f).
class ConservationGuard {
 public:
  static constexpr int most_retries = 2;

  /// Decision: continue, save this state for a roll-back, roll back, or end the run.
  enum class Verdict { go_on, mark, roll_back, stop };

  /// `run` must outlive this object.
  explicit ConservationGuard(deck::Configuration const& run) : run_(run) {}

  /// Returns one problem for each limit that the run exceeds; empty if there are none.
  std::vector<Problem> broken_limits(
      diagnostics::Conservation const& now,
      std::optional<simulation::CoarsestPassage> const& passage = {}) const {
    auto const is_broken = simulation::broken_limits(run_.limits, now, passage);
    std::vector<Problem> broken;
    auto const add = [&](std::string const& name, double error, std::optional<double> limit,
                         std::string const& key, std::string const& measure,
                         std::string const& advice) {
      broken.push_back({"conservation." + key,
                        name + " " + shortest(error) + " exceeds the limit " + shortest(*limit),
                        "largest of the times in conservation.csv" + measure, advice});
    };
    if (is_broken.energy) {
      add("relative energy error", now.max_relative_energy_error,
          run_.limits.max_relative_energy_error, "max_relative_energy_error",
          ", over " + formula_of(now.energy_scale().measure) +
              (now.is_internal() ? " in the centre-of-mass frame" : " in the coordinates' frame"),
          "reduce " + step_key() + (is_unsoftened(run_) ? ", set gravity.softening" : "") +
              " or raise the limit");
    }
    if (is_broken.passage) {
      broken.push_back(
          {"conservation.max_relative_energy_error", passage_words(run_, *passage),
           "massless bodies add nothing to the energy, so the energy error does not show this",
           has_own_steps() ? std::string("set integrator.stepping.judged to 'all'")
                           : "reduce " + step_key() +
                                 (is_unsoftened(run_) ? " or set gravity.softening" : "")});
    }
    if (is_broken.momentum) {
      add("momentum error", now.max_momentum_error, run_.limits.max_momentum_error,
          "max_momentum_error", "",
          conserves_momentum_to_rounding()
              ? "raise the limit (this error is rounding, whatever the step)"
              : "reduce " + step_key() + " or raise the limit");
    }
    return broken;
  }

  /// Whether momentum changes only by rounding: all pairs are kicked equally.
  bool conserves_momentum_to_rounding() const {
    return run_.integrator.entry != nullptr && run_.integrator.entry->derivatives == 0 &&
           !run_.integrator.has_block_steps();
  }

  /// Returns the key that shortens the steps: with a criterion time_step is only the longest step.
  std::string step_key() const {
    if (has_own_steps()) return "integrator.stepping.epsilon";
    return run_.integrator.has_variable_steps() ? "integrator.stepping.eta"
                                                : "integrator.time_step";
  }

  /// Returns the decision for a time that was just measured.
  Verdict judge(diagnostics::Conservation const& now,
                std::optional<simulation::CoarsestPassage> const& passage = {}) {
    if (run_.limits.on_violation == deck::OnViolation::report) return Verdict::go_on;
    bool const can_retry =
        run_.limits.on_violation == deck::OnViolation::retry && retries_ < most_retries;
    if (!broken_limits(now, passage).empty()) return can_retry ? Verdict::roll_back : Verdict::stop;
    if (!can_retry) return Verdict::go_on;
    marked_ = now;
    return Verdict::mark;
  }

  /// Counts a retry and returns the conservation up to the saved state.
  diagnostics::Conservation const& roll_back() {
    ++retries_;
    return marked_;
  }

  int retries() const { return retries_; }

  void exchange(SavedState& state) {
    if (run_.limits.on_violation != deck::OnViolation::retry) return;
    state.exchange("guard/retries", retries_);
    marked_.exchange(state);
  }

 private:
  bool has_own_steps() const {
    return run_.integrator.entry != nullptr && run_.integrator.entry->has_own_steps();
  }

  deck::Configuration const& run_;
  diagnostics::Conservation marked_;
  int retries_ = 0;
};

}  // namespace apsis::run
