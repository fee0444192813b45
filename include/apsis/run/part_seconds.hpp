// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/poll.hpp>

namespace apsis::run {

/// Wall time of a run by part [s]. Nothing waits for a device in order to be measured. Kernels on a
/// GPU run behind the host: `forces` and `kicks_and_drifts` are then the times of their launches,
/// and `device` is the time in which the host waited for them.
struct PartSeconds {
  double forces = 0.0;            ///< of steps, with the potentials that come with them
  double kicks_and_drifts = 0.0;  ///< the rest of the steps; for few bodies with their forces
  double device = 0.0;            ///< until steps are complete and checked to be finite
  double diagnostics = 0.0;       ///< conserved quantities and tables
  double copies = 0.0;            ///< of the bodies for snapshots and checkpoints
  double files = 0.0;             ///< that the run waits for, and pictures

  PartSeconds& operator+=(PartSeconds const& more) {
    forces += more.forces;
    kicks_and_drifts += more.kicks_and_drifts;
    device += more.device;
    diagnostics += more.diagnostics;
    copies += more.copies;
    files += more.files;
    return *this;
  }
  double sum() const { return forces + kicks_and_drifts + device + diagnostics + copies + files; }
};

/// Adds the time of its life to a part.
class PartTimer {
 public:
  explicit PartTimer(double& seconds) : seconds_(seconds) {}
  ~PartTimer() { seconds_ += watch_.seconds(); }
  PartTimer(PartTimer const&) = delete;
  PartTimer& operator=(PartTimer const&) = delete;

 private:
  double& seconds_;
  Stopwatch watch_;
};

}  // namespace apsis::run
