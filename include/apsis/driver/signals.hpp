// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <string>
#include <vector>

namespace apsis::driver {

/// While it lives, signals are requests to the run and not its end: SIGTERM, SIGINT, SIGUSR2,
/// SIGXCPU and SIGHUP to stop with a checkpoint after the step, SIGUSR1 to write one and go on.
/// What was ignored (nohup) stays ignored. A second SIGINT within five seconds ends the process at
/// once. The handlers do no more than set flags. One of these at a time.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(Signals const&) = delete;
  Signals& operator=(Signals const&) = delete;

  /// The signal that asked the run to stop; 0 if none did.
  static int stop();
  /// Whether a checkpoint was asked for since the last call.
  static bool take_checkpoint_request();

 private:
  std::vector<struct sigaction> before_;
};

/// "SIGTERM".
std::string signal_name(int signal);

}  // namespace apsis::driver
