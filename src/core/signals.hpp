// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <string>
#include <vector>

namespace apsis {

/// While an object exists, signals are requests to the run instead of ending the process: SIGTERM,
/// SIGINT, SIGUSR2, SIGXCPU and SIGHUP request a stop with a checkpoint after the step, SIGUSR1 a
/// checkpoint. Ignored signals (nohup) stay ignored. The first SIGINT is answered at once, a second
/// one ends the process. Otherwise the handlers only set flags. Only one object may exist at a
/// time.
class Signals {
 public:
  /// Lifetime of the handlers: the destructor restores the previous ones, or they stay. If they
  /// stay, a signal during the final clean-up of a complete run does not end the process.
  enum class Until { end_of_scope, end_of_process };
  /// `descriptor`: file descriptor to which the answer to SIGINT is written; -1: no answer.
  explicit Signals(int descriptor = -1, Until until = Until::end_of_scope);
  ~Signals();
  Signals(Signals const&) = delete;
  Signals& operator=(Signals const&) = delete;

  /// Returns the signal that requested a stop; 0 if there was none.
  static int stop_signal();
  /// Returns and clears the signal that requested a stop: for a rank that passes it on.
  static int take_stop_signal();
  /// Whether a checkpoint was requested since the last call.
  static bool take_checkpoint_request();
  /// Writes no answer to SIGINT from now on, because no run is in progress any more.
  static void stop_answering();
  /// Records a signal that another rank of the run has received. An earlier stop signal is kept.
  static void deliver(int signal);

 private:
  std::vector<struct sigaction> previous_;
  Until until_;
};

std::string signal_name(int signal);

}  // namespace apsis
