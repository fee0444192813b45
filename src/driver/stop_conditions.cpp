// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/text.hpp>
#include <apsis/diagnostics/farthest_body.hpp>
#include <apsis/diagnostics/pair_distances.hpp>
#include <apsis/driver/run_directory.hpp>
#include <apsis/driver/signals.hpp>
#include <apsis/driver/simulation.hpp>
#include <apsis/driver/stop_conditions.hpp>

#include <chrono>
#include <cstdlib>

namespace apsis::driver {

std::string name_of(StopReason reason) {
  static constexpr char const* names[]{"end",     "encounter", "escape",     "wall_time",
                                       "job_end", "stop_file", "signal",     "request",
                                       "restart", "violation", "non_finite", "collision"};
  return names[static_cast<int>(reason)];
}

double unix_seconds() {
  using namespace std::chrono;
  return duration<double>(system_clock::now().time_since_epoch()).count();
}

std::optional<double> slurm_job_end() {
  auto const* text = std::getenv("SLURM_JOB_END_TIME");
  if (text == nullptr) return std::nullopt;
  char* end = nullptr;
  double const seconds = std::strtod(text, &end);
  bool const whole = end != text && *end == '\0';
  return whole && seconds > unix_seconds() ? std::optional(seconds) : std::nullopt;
}

std::optional<Stop> stop_of(StopConditions const& conditions, Instant& now) {
  auto const ids = [&]() -> std::vector<std::uint64_t> const& { return now.bodies().id; };
  if (conditions.encounter_distance) {
    auto const closest = now.closest_pair();
    if (closest && closest->distance < *conditions.encounter_distance) {
      return Stop{StopReason::encounter,
                  {ids()[closest->first], ids()[closest->second]},
                  closest->distance};
    }
  }
  if (conditions.escape_radius) {
    auto const farthest = now.farthest_body();
    if (farthest && farthest->distance > *conditions.escape_radius) {
      return Stop{StopReason::escape, {ids()[farthest->index]}, farthest->distance};
    }
  }
  return std::nullopt;
}

Problem interruption(StopConditions const& conditions, Stop const& stop, std::string const& when,
                     std::filesystem::path const& directory) {
  std::string const why = "the run has not reached its end, a checkpoint was written";
  std::string const resume = "go on with " + how_to_resume(directory);
  auto const problem = [&](std::string const& where, std::string const& by) {
    bool const file = stop.reason == StopReason::stop_file;
    return Problem{where, "stopped " + when + " by " + by, why,
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

}  // namespace apsis::driver
