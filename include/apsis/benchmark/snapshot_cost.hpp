// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/forces/precision.hpp>

#include <cstddef>
#include <filesystem>
#include <string>

namespace apsis::benchmark {

/// What a snapshot costs a run of so many bodies; times are medians.
struct SnapshotCost {
  std::size_t bodies;
  forces::Precision precision;
  double bytes;          ///< of the file
  double seconds_step;   ///< of leapfrog
  double seconds_copy;   ///< that the run waits for
  double seconds_write;  ///< from the copy until the file is on the disk, with nothing beside it
  double seconds_added;  ///< by a snapshot to steps that take at least as long as its writing
};

/// Times leapfrog steps of a Plummer sphere with and without a snapshot written meanwhile to
/// `directory`, as a run does it (driver::snapshots). Leaves nothing there.
SnapshotCost snapshot_cost(std::size_t bodies, forces::Precision precision, int repeats,
                           std::filesystem::path const& directory);

std::string snapshot_cost_heading();
std::string snapshot_cost_line(SnapshotCost const& cost);

}  // namespace apsis::benchmark
