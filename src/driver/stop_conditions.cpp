// SPDX-License-Identifier: Apache-2.0
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/text.hpp>
#include <apsis/diagnostics/farthest_body.hpp>
#include <apsis/diagnostics/pair_distances.hpp>
#include <apsis/driver/stop_conditions.hpp>

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
    case StopReason::stop_file:
      return "stop_file";
    case StopReason::violation:
      return "violation";
    case StopReason::non_finite:
      return "non_finite";
  }
  return "";
}

template <class Real>
std::optional<Stop> StopWatch<Real>::look(ExecutionSpace const& space, Bodies<Real> const& bodies,
                                          double wall_seconds) {
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
  if (conditions_.max_wall_time && wall_seconds >= *conditions_.max_wall_time) {
    return Stop{StopReason::wall_time};
  }
  if (stop_file_exists(wall_seconds)) return Stop{StopReason::stop_file};
  return std::nullopt;
}

template <class Real>
bool StopWatch<Real>::stop_file_exists(double wall_seconds) {
  // A look at a file system takes longer than a step of a few bodies.
  if (conditions_.stop_file.empty() || wall_seconds < next_look_) return false;
  next_look_ = wall_seconds + 0.05;
  std::error_code ignored;
  return std::filesystem::exists(conditions_.stop_file, ignored);
}

template class StopWatch<float>;
template class StopWatch<double>;

Problem interruption(StopConditions const& conditions, StopReason reason, std::string const& when) {
  std::string const why = "the run has not reached its end";
  if (reason == StopReason::stop_file) {
    return {"run.stop_file", "stopped " + when + " by " + conditions.stop_file.string(), why,
            "remove that file before the next run"};
  }
  return {"run.max_wall_time",
          "stopped " + when + " by the limit of " +
              shortest(conditions.max_wall_time.value_or(0.0)) + " s",
          why, "raise the limit"};
}

}  // namespace apsis::driver
