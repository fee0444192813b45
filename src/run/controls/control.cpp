// SPDX-License-Identifier: Apache-2.0
#include "apsis/run/control.hpp"

#include "core/signals.hpp"
#include <apsis/deck/configuration.hpp>

#include <algorithm>
#include <system_error>

namespace apsis::run {

namespace {

using OptionalRequest = std::optional<Request>;

OptionalRequest stop_request(StopReason reason) {
  return Request{Request::Kind::stop, {reason}};
}

OptionalRequest signal_request(RunClock const&) {
  if (int const signal = Signals::stop_signal()) {
    return Request{Request::Kind::stop, {.reason = StopReason::signal, .signal = signal}};
  }
  return Signals::take_checkpoint_request() ? OptionalRequest(Request{Request::Kind::checkpoint})
                                            : std::nullopt;
}

}  // namespace

Controls standard_controls(deck::StopConditions const& conditions) {
  Controls controls{signal_request};
  if (auto const limit = conditions.max_wall_time) {
    controls.push_back([limit = *limit - conditions.wall_time_before](RunClock const& clock) {
      // At most half of the limit is reserved for the last step and a checkpoint.
      bool const over = clock.seconds >= limit - std::min(clock.reserve, 0.5 * limit);
      return over ? stop_request(StopReason::wall_time) : std::nullopt;
    });
  }
  if (auto const end = conditions.job_end) {
    controls.push_back([end = *end](RunClock const& clock) {
      return unix_seconds() >= end - clock.reserve ? stop_request(StopReason::job_end)
                                                   : std::nullopt;
    });
  }
  if (!conditions.stop_file.empty()) {
    controls.push_back(
        [file = conditions.stop_file, next_check = 0.0](RunClock const& clock) mutable {
          // A file system query takes longer than a step of few bodies.
          if (clock.seconds < next_check) return OptionalRequest();
          next_check = clock.seconds + 0.05;
          std::error_code ignored;
          return std::filesystem::exists(file, ignored) ? stop_request(StopReason::stop_file)
                                                        : OptionalRequest();
        });
  }
  return controls;
}

}  // namespace apsis::run
