// SPDX-License-Identifier: Apache-2.0
#include "resolve.hpp"

#include <cmath>

namespace apsis::driver {

std::optional<std::uint64_t> resolve_steps(Values const& run, double time_step,
                                           DeckProblems& problems) {
  std::optional<std::uint64_t> steps;
  if (run.has("steps")) {
    steps = static_cast<std::uint64_t>(run.integer("steps"));
  } else if (run.has("end_time") && time_step > 0.0) {
    double const end_time = run.number("end_time");
    steps = whole_steps("run.end_time", end_time, time_step, end_time > 0.0 ? 1.0 : 0.0, problems);
  }
  if (steps && !std::isfinite(static_cast<double>(*steps) * time_step)) {
    problems.add("integrator.time_step", "out of range", "the end of the run is at no finite time",
                 "reduce it or run.steps");
    return std::nullopt;
  }
  return steps;
}

StopConditions resolve_stop(Values const& run, DeckProblems& problems) {
  StopConditions stop;
  stop.encounter_distance = optional_number(run, "encounter_distance");
  stop.escape_radius = optional_number(run, "escape_radius");
  stop.max_wall_time = optional_number(run, "max_wall_time");
  if (!run.has("stop_file")) return stop;
  stop.stop_file = run.text("stop_file");
  if (stop.stop_file.empty()) {
    problems.add("run.stop_file", "empty", "no file has that name", "name a file or leave it out");
  }
  return stop;
}

}  // namespace apsis::driver
