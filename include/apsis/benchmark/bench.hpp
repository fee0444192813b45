// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/forces/precision.hpp>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace apsis::benchmark {

/// The double loop of the textbooks, which only `bench` runs: compiled with -O3 for the native
/// machine, and the same with -fno-math-errno too; for accelerations alone or with their jerks.
struct ReferenceKernel {
  char const* name;
  bool math_errno;
  int derivatives;
};
inline constexpr ReferenceKernel reference_kernels[]{{"reference", true, 0},
                                                     {"reference_no_errno", false, 0},
                                                     {"reference_jerk", true, 1},
                                                     {"reference_jerk_no_errno", false, 1}};
/// What Hermite schemes of order 4 and 6 ask for.
inline constexpr char const* motion_kernels[]{"jerk", "snap"};

/// Whether they can run here: where kernels compute in the host's memory.
bool has_reference();

/// Enough bodies to keep this backend busy, and few enough to be timed in seconds.
std::size_t usual_bodies();

enum class Memory { device, host_pinned };

/// Whether kernels can read pinned memory of the host.
bool has_host_pinned();

struct Request {
  std::vector<std::size_t> bodies;
  std::vector<forces::Precision> precisions;
  std::vector<std::string> kernels;  ///< of the table, of reference_kernels and motion_kernels
  bool sweep = false;                ///< time every compiled shape of `kernels`
  int repeats = 10;
  Memory memory = Memory::device;
  bool use_all_threads = false;  ///< also where fewer are faster
};

/// One line of the table. Times are medians.
struct Row {
  std::size_t bodies;
  std::string kernel;
  std::string picked;  ///< what "auto" stands for; else the kernel
  std::string shape;   ///< empty for kernels that are no tile loop
  forces::Precision precision;
  int derivatives;  ///< of the acceleration that are found with it: 1 with the jerk, 2 with the
                    ///< snap
  int threads;
  int repeats;
  double targets_timed;  ///< fraction of the bodies whose force a repeat found
  double seconds_force;  ///< of all bodies
  double seconds_step;   ///< a leapfrog or Hermite step as a run does it
  double seconds_to_device;
  double seconds_to_host;
  double bytes_moved;  ///< one way
  double interactions_per_second;
  double potential_cost;  ///< (force and potential) / force - 1; 0 if it was not timed
  double limit;           ///< interactions/s if every operation were issued at the FMA's rate
  double spread;          ///< of the force: (largest - smallest) / median
};

/// Fused multiply-adds that this device does in a second.
struct FmaRates {
  double single_precision;
  double double_precision;
};
FmaRates measured_fma_rates();

/// Arithmetic instructions of one of the N^2 interactions. Kernels that meet each pair once need
/// about two thirds of the others'.
double operations_per_interaction(forces::Precision precision, bool pairwise, int derivatives);

/// What the rows of so many bodies in a precision will take, about [s].
double expected_seconds(Request const& request, FmaRates const& limits, std::size_t bodies,
                        forces::Precision precision);

/// Times what is asked for and tells each row as it comes.
void bench(Request const& request, FmaRates const& limits,
           std::function<void(Row const&)> const& tell);

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

/// What a picture of so many bodies costs.
struct PictureCost {
  std::size_t bodies;
  int width, height;
  bool coloured;           ///< by speed; or else their density
  double seconds_picture;  ///< median, from bodies on the device to pixels on the host
  double spread;
  double seconds_png;  ///< that another thread needs to encode it
  double bytes;        ///< of the file
};

/// Times pictures of a Plummer sphere in two sizes and two colours, and tells each as it comes.
std::vector<PictureCost> picture_costs(std::size_t bodies, int repeats,
                                       std::function<void(PictureCost const&)> const& tell);

std::string picture_cost_heading();
std::string picture_cost_line(PictureCost const& cost);

/// What was measured with, and the table's heading.
std::string bench_heading(FmaRates const& limits);
/// A line of the table.
std::string bench_line(Row const& row);
/// The fastest shape of each precision and number of bodies.
std::string best_of_sweep(std::vector<Row> const& rows);
/// {"environment": {...}, "rows": [...]}; times in milliseconds. What snapshots and pictures
/// cost are rows of the "kernels" snapshot and picture. `complete`: these are all rows that were
/// asked for.
std::string bench_json(FmaRates const& limits, std::string const& memory,
                       std::vector<Row> const& rows, std::vector<SnapshotCost> const& snapshots,
                       std::vector<PictureCost> const& pictures, bool complete);

}  // namespace apsis::benchmark
