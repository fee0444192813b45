// SPDX-License-Identifier: Apache-2.0
#include "apsis/run/stop_conditions.hpp"

#include "core/signals.hpp"
#include <apsis/core/text.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/integrators/collision.hpp>
#include <apsis/run/run_directory.hpp>

#include <chrono>
#include <cstdlib>

namespace apsis::run {

double unix_seconds() {
  using namespace std::chrono;
  return duration<double>(system_clock::now().time_since_epoch()).count();
}

std::optional<double> slurm_job_end() {
  auto const* text = std::getenv("SLURM_JOB_END_TIME");
  if (text == nullptr) return std::nullopt;
  char* end = nullptr;
  double const seconds = std::strtod(text, &end);
  bool const is_number = end != text && *end == '\0';
  return is_number && seconds > unix_seconds() ? std::optional(seconds) : std::nullopt;
}

Problem collision_problem(deck::Configuration const& run, integrators::Collision const& collision,
                          std::string const& when) {
  if (auto const& cause = collision.cause()) {
    return {cause->where, "stopped " + when + ": " + cause->problem, cause->why, cause->advice};
  }
  bool const single = run.gravity.precision == forces::Precision::single_precision;
  auto const length = [&](double value) {
    return run.units.with_short_unit(formatted("%.4g", value), dimension::length);
  };
  auto const step =
      "the time step would fall below " +
      run.units.with_short_unit(formatted("%.3g", collision.shortest_step()), dimension::time);
  std::string const event = "stopped " + when + " by a collision: ";
  if (!collision.pair) {
    return {"integrator", event + step, "two bodies almost collide", "set gravity.softening"};
  }
  auto const& pair = *collision.pair;
  auto const bodies = "bodies " + std::to_string(pair.first) + " and " +
                      std::to_string(pair.second) + " are " + length(pair.distance) +
                      " apart at time " +
                      run.units.with_short_unit(shortest(run.time(0) + pair.time), dimension::time);
  if (!collision.is_caused_by_rounding()) {
    return {"integrator", event + bodies, step,
            std::string("set gravity.softening") +
                (single ? ", gravity.precision to 'double'" : "") +
                ", or run.encounter_distance to end the run before"};
  }
  std::string advice = pair.off_centre ? "set bodies.centre to true" : "";
  if (single)
    advice += std::string(advice.empty() ? "set" : " and") + " gravity.precision to 'double'";
  if (advice.empty()) {
    advice = "set gravity.softening or a larger integrator.stepping." +
             std::string(run.integrator.entry->has_own_steps() ? "epsilon" : "eta");
  }
  return {"integrator", event + "the coordinates ran out of digits, " + bodies,
          step + ": coordinates there are " + length(pair.spacing) +
              " apart, and the derivatives that choose the step are rounding",
          advice};
}

Problem interruption(deck::StopConditions const& conditions, Stop const& stop,
                     std::string const& when, std::filesystem::path const& directory) {
  std::string const why = "the run has not reached its end, a checkpoint was written";
  std::string const resume = "go on with " + resume_command(directory);
  auto const problem = [&](std::string const& where, std::string const& cause) {
    bool const file = stop.reason == StopReason::stop_file;
    return Problem{where, "stopped " + when + " by " + cause, why,
                   (file ? "remove that file and " : "") + resume};
  };
  switch (stop.reason) {
    case StopReason::signal:
      return problem("signal", signal_name(stop.signal));
    case StopReason::job_end:
      return problem("SLURM_JOB_END_TIME", "the end of the job");
    case StopReason::stop_file:
      return problem("run.stop_file", conditions.stop_file.string());
    case StopReason::request:
    case StopReason::restart:
      return problem("control", "a request");
    default:
      return problem("run.max_wall_time",
                     "the limit of " + shortest(conditions.max_wall_time.value_or(0.0)) + " s");
  }
}

}  // namespace apsis::run
