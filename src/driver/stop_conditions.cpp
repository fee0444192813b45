// SPDX-License-Identifier: Apache-2.0
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/text.hpp>
#include <apsis/diagnostics/farthest_body.hpp>
#include <apsis/diagnostics/pair_distances.hpp>
#include <apsis/driver/signals.hpp>
#include <apsis/driver/stop_watch.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <system_error>

namespace apsis::driver {

std::string name_of(StopReason reason) {
  switch (reason) {
    case StopReason::end:
      return "end";
    case StopReason::encounter:
      return "encounter";
    case StopReason::escape:
      return "escape";
    case StopReason::wall_time:
      return "wall_time";
    case StopReason::job_end:
      return "job_end";
    case StopReason::stop_file:
      return "stop_file";
    case StopReason::signal:
      return "signal";
    case StopReason::violation:
      return "violation";
    case StopReason::non_finite:
      return "non_finite";
  }
  return "";
}

namespace {
double unix_seconds() {
  using namespace std::chrono;
  return duration<double>(system_clock::now().time_since_epoch()).count();
}
}  // namespace

std::optional<double> slurm_job_end() {
  auto const* text = std::getenv("SLURM_JOB_END_TIME");
  if (text == nullptr) return std::nullopt;
  char* end = nullptr;
  double const seconds = std::strtod(text, &end);
  bool const whole = end != text && *end == '\0';
  return whole && seconds > unix_seconds() ? std::optional(seconds) : std::nullopt;
}

template <class Real>
std::optional<Stop> StopWatch<Real>::look(ExecutionSpace const& space, Bodies<Real> const& bodies,
                                          double seconds, double reserve) {
  if (conditions_.encounter_distance) {
    auto const closest = diagnostics::closest_pair(space, bodies);
    if (closest && closest->distance < *conditions_.encounter_distance) {
      auto const id = to_host(space, bodies).id;
      return Stop{
          StopReason::encounter, {id[closest->first], id[closest->second]}, closest->distance};
    }
  }
  if (conditions_.escape_radius) {
    auto const farthest = diagnostics::farthest_body(space, bodies);
    if (farthest && farthest->distance > *conditions_.escape_radius) {
      return Stop{
          StopReason::escape, {to_host(space, bodies).id[farthest->index]}, farthest->distance};
    }
  }
  if (int const signal = Signals::stop()) {
    Stop stop{StopReason::signal};
    stop.signal = signal;
    return stop;
  }
  if (auto const limit = conditions_.max_wall_time) {
    // However long a checkpoint takes, half of the time is for the run itself.
    if (seconds >= *limit - std::min(reserve, 0.5 * *limit)) return Stop{StopReason::wall_time};
  }
  if (conditions_.job_end && unix_seconds() >= *conditions_.job_end - reserve) {
    return Stop{StopReason::job_end};
  }
  if (stop_file_exists(seconds)) return Stop{StopReason::stop_file};
  return std::nullopt;
}

template <class Real>
bool StopWatch<Real>::stop_file_exists(double seconds) {
  // A look at a file system takes longer than a step of a few bodies.
  if (conditions_.stop_file.empty() || seconds < next_look_) return false;
  next_look_ = seconds + 0.05;
  std::error_code ignored;
  return std::filesystem::exists(conditions_.stop_file, ignored);
}

template class StopWatch<float>;
template class StopWatch<double>;

Problem interruption(StopConditions const& conditions, Stop const& stop, std::string const& when) {
  std::string const why = "the run has not reached its end, a checkpoint was written";
  std::string const resume = "go on with --resume";
  auto const problem = [&](std::string const& where, std::string const& by,
                           std::string const& advice) {
    return Problem{where, "stopped " + when + " by " + by, why, advice};
  };
  switch (stop.reason) {
    case StopReason::signal:
      return problem("signal", signal_name(stop.signal), resume);
    case StopReason::job_end:
      return problem("SLURM_JOB_END_TIME", "the end of the job", resume);
    case StopReason::stop_file:
      return problem("run.stop_file", conditions.stop_file.string(),
                     "remove that file and " + resume);
    default:
      return problem("run.max_wall_time",
                     "the limit of " + shortest(conditions.max_wall_time.value_or(0.0)) + " s",
                     resume);
  }
}

}  // namespace apsis::driver
