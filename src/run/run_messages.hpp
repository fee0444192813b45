// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/error.hpp>
#include <apsis/run/loop.hpp>

#include <filesystem>
#include <string>

/// Problems and notes of the step loop. `when`: "after step 3 at time 0.5".
namespace apsis::run {

/// Problem of a run that ends at `step` because a body is not finite.
Problem not_finite_problem(deck::Configuration const& run, NotFiniteBody const& body,
                           std::uint64_t step, HostBodies const& bodies, std::string const& when);

/// Parts of the final state that could not be written.
struct MissingFinalState {
  bool snapshot = false, checkpoint = false;
};
/// Problem of a run with output.final_state. `resumable`: an earlier checkpoint was written.
Problem final_state_problem(MissingFinalState missing, std::filesystem::path const& directory,
                            bool resumable);

/// Note that the solver has begun, or ceased, to sum all pairs with `kernel`: for a million bodies
/// that takes hours instead of minutes.
std::string fallback_note(std::string const& solver, std::string const& kernel, bool falls_back,
                          std::string const& when);

/// Note that the run rolled back because of `problem` and continues `continued`.
std::string retry_note(int retry, int most_retries, std::string const& problem,
                       std::string const& when, std::string const& continued);

}  // namespace apsis::run
