// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/commands.hpp"
#include "files/record.hpp"
#include <apsis/forces/precision.hpp>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

namespace apsis::benchmark {

/// Makes the measurements that the library lacks; value of cli::Measures.
ExitStatus measure(cli::BenchOptions const& options, Request const& request,
                   cli::RankContext const& ranks);

// Rows of snapshots and pictures in the file of results have the "kernel" snapshot or picture.

/// Cost of a snapshot for a run of `bodies` bodies; times are medians.
struct SnapshotCost {
  std::size_t bodies;
  forces::Precision precision;
  double bytes;          ///< size of the file
  double seconds_step;   ///< of leapfrog
  double seconds_copy;   ///< time that the run waits
  double seconds_write;  ///< from the copy until the file is on disk, without other work
  double seconds_added;  ///< added by a snapshot to steps that take at least as long as writing it
};

/// Times leapfrog steps of a Plummer sphere with and without a snapshot being written to
/// `directory`, as in a run (run::snapshots). Leaves no files there.
SnapshotCost snapshot_cost(std::size_t bodies, forces::Precision precision, int repeats,
                           std::filesystem::path const& directory);

std::string snapshot_cost_heading();
std::string snapshot_cost_line(SnapshotCost const& cost);
files::Record snapshot_cost_record(SnapshotCost const& cost);

/// Cost of a picture of `bodies` bodies.
struct PictureCost {
  std::size_t bodies;
  int width, height;
  bool coloured;           ///< by speed; otherwise the density is shown
  double seconds_picture;  ///< median, from bodies on the device to pixels on the host
  double spread;
  double seconds_png;  ///< time to encode the file, in another thread
  double bytes;        ///< size of the file
};

/// Times pictures of a Plummer sphere in two sizes and two colourings, and reports each when it is
/// finished.
void picture_costs(std::size_t bodies, int repeats,
                   std::function<void(PictureCost const&)> const& report);

std::string picture_cost_heading();
std::string picture_cost_line(PictureCost const& cost);
files::Record picture_cost_record(PictureCost const& cost);

}  // namespace apsis::benchmark
