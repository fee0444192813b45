// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/run/stop_conditions.hpp>

#include <functional>
#include <optional>
#include <vector>

namespace apsis::run {

/// Request to a run from outside.
struct Request {
  enum class Kind {
    stop,         ///< stop after the step, with a checkpoint
    checkpoint,   ///< write a checkpoint and continue
    pause,        ///< wait for another request
    single_step,  ///< take one step, then pause
    go_on,
  };

  Kind kind;
  Stop stop{StopReason::request};  ///< how the run ends, for Kind::stop
};

/// Wall clock of a run, as seen by its controls.
struct RunClock {
  double seconds;  ///< since this process started the run
  double reserve;  ///< time needed to end in order: the current step and a checkpoint [s]
};

/// Source of requests from outside a run; returns the current request, if there is one. Called
/// before the first step, after every step, and many times per second while the run is paused. Must
/// be cheap and must not block.
using Control = std::function<std::optional<Request>(RunClock const&)>;
using Controls = std::vector<Control>;

/// Returns the controls of every run: caught signals (signals.hpp), the limit of wall time, the end
/// of the batch job, and the stop file, which is checked 20 times per second.
Controls standard_controls(deck::StopConditions const& conditions);

}  // namespace apsis::run
