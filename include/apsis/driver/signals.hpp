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
  /// `answers_to`: a descriptor, or -1 for nobody.
  explicit Signals(int answers_to = -1);
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
