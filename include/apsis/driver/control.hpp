// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/driver/stop_conditions.hpp>

#include <functional>
#include <optional>
#include <vector>

namespace apsis::driver {

/// What somebody outside a run asks of it.
struct Request {
  enum class Kind {
    stop,         ///< with a checkpoint, after the step
    checkpoint,   ///< and go on
    pause,        ///< until another request
    single_step,  ///< one step, and then a pause
    go_on,
  };

  Kind kind;
  Stop stop{StopReason::request};  ///< how the run then ended
};

/// A run's time, as those see it who are to end it in time.
struct RunClock {
  double seconds;  ///< since this process began the run
  double reserve;  ///< what it needs to end well: the step on the way and a checkpoint [s]
};

/// Somebody outside a run who may ask something of it: what is asked for now, if anything is.
/// Called before the first step, after every step, and many times a second while the run pauses.
/// Must be cheap and never wait.
using Control = std::function<std::optional<Request>(RunClock const&)>;
using Controls = std::vector<Control>;

/// Those that every run has: signals if they are caught (signals.hpp), the limit of wall time, the
/// end of the job, and the stop file, which is looked for twenty times a second.
Controls standard_controls(StopConditions const& conditions);

}  // namespace apsis::driver
