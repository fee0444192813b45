// SPDX-License-Identifier: Apache-2.0
#include "core/signals.hpp"
#include "run/directory/summary.hpp"
#include "view/viewer_feed.hpp"
#include <apsis/core/text.hpp>

#include <string>

namespace apsis::view {

namespace {

using Verdict = view::Over::Verdict;

/// Reason of an end before the last step, such as "signal SIGTERM".
std::string cause_of(run::Stop const& stop) {
  switch (stop.reason) {
    case run::StopReason::signal:
      return "signal " + signal_name(stop.signal);
    case run::StopReason::request:
      return "request of a viewer";
    case run::StopReason::wall_time:
      return "limit of wall time";
    case run::StopReason::job_end:
      return "end of the job";
    case run::StopReason::stop_file:
      return "stop file";
    default:
      return name_of(stop.reason);
  }
}

/// Returns ", energy conserved to 4.7e-13, limit 1e-12", or what else is known of the energy error.
std::string energy_words(deck::Configuration const& run, run::Outcome const& outcome) {
  auto const error = formatted("%.2g", outcome.conservation.max_relative_energy_error);
  if (!conserved_sums(outcome).energy) return ", energy not judged: forces besides gravity do work";
  auto const limit = run.limits.max_relative_energy_error;
  if (!limit) return ", energy error " + error + ", no limit";
  bool const is_within = outcome.conservation.max_relative_energy_error <= *limit;
  return (is_within ? ", energy conserved to " : ", energy error ") + error +
         (is_within ? ", limit " : ", above the limit ") + shortest(*limit);
}

}  // namespace

view::Over verdict_of(deck::Configuration const& run, run::Outcome const& outcome) {
  auto const time =
      "t = " + run.units.with_short_unit(shortest(run.time(outcome.steps)), dimension::time);
  auto const problem = outcome.problems.empty() ? "" : ": " + outcome.problems.front().problem;
  switch (outcome.exit) {
    case ExitStatus::conserved: {
      bool const is_judged = status_word(run, outcome) == "conserved";
      auto const cause =
          outcome.stop.reason == run::StopReason::end ? "" : " by " + name_of(outcome.stop.reason);
      return {"done" + cause + ": " + time + energy_words(run, outcome),
              is_judged ? Verdict::good : Verdict::unjudged};
    }
    case ExitStatus::not_conserved:
      return {"not conserved: " + time + energy_words(run, outcome), Verdict::bad};
    case ExitStatus::stopped:
      return {"stopped by " + cause_of(outcome.stop) + " after step " +
                  std::to_string(outcome.steps) + ", " + time + energy_words(run, outcome),
              Verdict::stopped};
    default:
      return {"ended by " + cause_of(outcome.stop) + " after step " +
                  std::to_string(outcome.steps) + ", " + time + problem,
              Verdict::bad};
  }
}

}  // namespace apsis::view
