// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/record.hpp"
#include <apsis/forces/precision.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace apsis {
struct HostBodies;
}
namespace apsis::benchmark {

/// Plain double loops as in textbooks, available in the program of bench/ only. Compiled with -O3
/// for the native machine, with and without -fno-math-errno, for accelerations alone or with jerks.
struct ReferenceKernel {
  char const* name;
  bool math_errno;
  int derivatives;
};
inline constexpr ReferenceKernel reference_kernels[]{{"reference", true, 0},
                                                     {"reference_no_errno", false, 0},
                                                     {"reference_jerk", true, 1},
                                                     {"reference_jerk_no_errno", false, 1}};
/// Kernels of the Hermite integrators of order 4 and 6.
inline constexpr char const* motion_kernels[]{"jerk", "snap"};

/// Whether the reference kernels can run here: only where kernels compute in host memory.
bool has_reference();

/// Returns a Plummer sphere in Henon units, the bodies of `bench` and `compare`.
HostBodies sample(std::size_t count);

/// Number of bodies that saturates this backend and can still be timed in seconds.
std::size_t default_bodies();

enum class Memory { device, host_pinned };

struct Textbook;

/// Whether kernels can read pinned host memory.
bool has_host_pinned();

struct Request {
  std::vector<std::size_t> bodies;
  std::vector<forces::Precision> precisions;
  std::vector<std::string> kernels;  ///< from the table, reference_kernels and motion_kernels
  bool sweep = false;                ///< time all compiled shapes of `kernels`
  int repeats = 10;
  Memory memory = Memory::device;
  bool use_all_threads = false;        ///< also where fewer threads are faster
  Textbook const* textbook = nullptr;  ///< required for reference_kernels
};

/// One line of the table. Times are medians.
struct Row {
  std::size_t bodies;
  std::string kernel;
  std::string picked;  ///< kernel chosen by "auto"; otherwise `kernel`
  std::string shape;   ///< empty for kernels without tile loop
  forces::Precision precision;
  int derivatives;  ///< computed derivatives of the acceleration: 1 with the jerk, 2 with the snap
  int threads;
  int repeats;
  double targets_timed;  ///< fraction of the bodies in each repetition of the force
  double seconds_force;  ///< of the force measurement, median
  double seconds_force_least;
  double seconds_step;  ///< a leapfrog or Hermite step as in a run
  double seconds_to_device;
  double seconds_to_host;
  double bytes_moved;  ///< one way
  double interactions_per_second;
  double potential_cost;  ///< (force and potential) / force - 1; 0 if not timed
  double limit;           ///< highest_rate() [interactions/s]
  double spread;          ///< of the force: (largest - smallest) / median
};

/// Highest measured rates of arithmetic instructions of this device [1/s], each lane counted.
struct ArithmeticRates {
  double multiply_adds = 0.0;  ///< fused multiply-adds alone
  /// Multiply-adds and additions together. Some processors have units of their own for
  /// additions: twice the rate of multiply-adds alone on Zen 5.
  double mixed = 0.0;
  std::chrono::steady_clock::time_point measured{};  ///< last time
};
struct ArithmeticLimits {
  ArithmeticRates single_precision, double_precision;

  /// Rates of the arithmetic of a pair: single for `mixed`.
  ArithmeticRates& rates(forces::Precision precision);
  ArithmeticRates const& rates(forces::Precision precision) const;

  /// Measures the rates of a precision once more, and keeps the higher ones. Takes about 30 ms.
  void measure(forces::Precision precision);
  /// Calls measure() if the last measurement is older than a second.
  void refresh(forces::Precision precision);
};
ArithmeticLimits measure_arithmetic_limits();

/// Arithmetic instructions per interaction, for N^2 interactions.
struct Operations {
  double multiply_adds;  ///< and multiplications, and whatever is not an addition
  double additions;      ///< of two numbers, neither of which is a product
};
/// Kernels that evaluate each pair once need about two thirds of the instructions of the others.
Operations operations_per_interaction(forces::Precision precision, bool pairwise, int derivatives);

/// Interactions per second if all operations ran at the highest rates: multiply-adds at their own,
/// and all instructions at that of the mixture.
double highest_rate(ArithmeticRates const& rates, Operations const& operations);

/// Approximate time of the rows of one number of bodies and precision [s].
double expected_seconds(Request const& request, ArithmeticLimits const& limits, std::size_t bodies,
                        forces::Precision precision);

/// Runs the requested measurements and reports each row when it is finished. Measures the limits
/// again between the rows, since the clock of a processor changes.
void bench(Request const& request, ArithmeticLimits& limits,
           std::function<void(Row const&)> const& report);

/// Returns the description of the measurement and the table's heading.
std::string bench_heading(ArithmeticLimits const& limits);
std::string bench_line(Row const& row);
/// Returns the fastest shape of each kernel, by precision and number of bodies, fastest first.
std::string best_of_sweep(std::vector<Row> const& rows);
/// Returns {"environment": {...}, "rows": [...]}; times in milliseconds. `others`: rows of other
/// measurements. `complete`: all requested rows are present.
std::string bench_json(ArithmeticLimits const& limits, std::string const& memory,
                       std::vector<Row> const& rows, std::vector<files::Record> others,
                       bool complete);

/// Returns the environment of a measurement: backend, device, compiler, kokkos, git, date (UTC).
files::Record environment_record();

}  // namespace apsis::benchmark
