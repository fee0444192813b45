// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <string>
#include <vector>

namespace apsis::driver {

/// While it lives, signals are requests to the run and not its end: SIGTERM, SIGINT, SIGUSR2,
/// SIGXCPU and SIGHUP to stop with a checkpoint after the step, SIGUSR1 to write one and go on.
/// What was ignored (nohup) stays ignored. The first SIGINT is answered at once, a second ends the
/// process. The handlers do no more than that and set flags. One of these at a time.
class Signals {
 public:
  /// Whether the handlers that were there come back with the end of this object, or never: a run
  /// that has ended is not one that a signal ended, while its process still tidies up.
  enum class Until { end_of_scope, end_of_process };
  /// `answers_to`: a descriptor, or -1 for nobody.
  explicit Signals(int answers_to = -1, Until until = Until::end_of_scope);
  ~Signals();
  Signals(Signals const&) = delete;
  Signals& operator=(Signals const&) = delete;

  /// The signal that asked the run to stop; 0 if none did.
  static int stop();
  /// The same, once: for a rank that passes it on to the one that heeds it.
  static int take_stop();
  /// Whether a checkpoint was asked for since the last call.
  static bool take_checkpoint_request();
  /// As if this process had got the signal, which another one did that shares the run.
  static void pass_on(int signal);

 private:
  std::vector<struct sigaction> before_;
  Until until_;
};

/// "SIGTERM".
std::string signal_name(int signal);

}  // namespace apsis::driver
