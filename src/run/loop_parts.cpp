// SPDX-License-Identifier: Apache-2.0
#include "loop_parts.hpp"

#include <apsis/deck/configuration.hpp>

#include <cmath>

namespace apsis::run {

namespace {

/// Whether the values of the bodies are the likely cause, not the integration: they were not finite
/// at the start, or a mass is so large that its powers overflow.
bool has_extreme_numbers(deck::Configuration const& run, std::uint64_t step,
                         HostBodies const& bodies) {
  constexpr double huge = 1e75;  // its fourth power is near the largest double
  bool const has_huge_mass = std::any_of(bodies.mass.begin(), bodies.mass.end(), [&](double m) {
    return m > huge || m * std::abs(run.gravity.law.G) > huge;
  });
  return step == 0 || has_huge_mass;
}

}  // namespace

Problem not_finite_problem(deck::Configuration const& run, NotFiniteBody const& body,
                           std::uint64_t step, HostBodies const& bodies, std::string const& when) {
  auto const id = body.id ? std::to_string(*body.id) : "?";
  return {"body " + std::to_string(body.index) + " (id " + id + ")", "not finite " + when,
          body.what + " is NaN or infinite in " + name_of(run.gravity.precision) + " precision",
          has_extreme_numbers(run, step, bodies)
              ? "choose units in which masses, lengths and velocities are nearer to 1"
              : "reduce integrator.time_step, or change gravity.softening or gravity.precision"};
}

Problem final_state_problem(MissingFinalState missing, std::filesystem::path const& directory,
                            bool resumable) {
  std::string const parts = missing.snapshot && missing.checkpoint ? "snapshot and its checkpoint"
                            : missing.snapshot                     ? "snapshot"
                                                                   : "checkpoint";
  return {directory.string(), "the final state was not written",
          "output.final_state asks for it, and its " + parts + " failed",
          resumable ? "check free space, then go on with " + resume_command(directory)
                    : "check free space, then start the run again with --force"};
}

std::string fallback_note(std::string const& solver, std::string const& kernel, bool falls_back,
                          std::string const& when) {
  std::string const subject = "note: the solver '" + solver + "' ";
  if (!falls_back) return subject + "uses its cells again " + when;
  return subject + "sums all pairs (" + kernel + ", O(N^2)) " + when +
         ": its cells cannot hold these bodies, since too many are in one place, or some are far "
         "beyond all others";
}

std::string retry_note(int retry, int most_retries, std::string const& problem,
                       std::string const& when, std::string const& continued) {
  return "retry " + std::to_string(retry) + " of " + std::to_string(most_retries) + ": " + problem +
         " " + when + "; goes on with half the step " + continued;
}

}  // namespace apsis::run
