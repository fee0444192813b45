// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/diagnostics/relative_error.hpp>
#include <apsis/forces/precision.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Accuracy and cost of the solver `fmm`.
namespace apsis::benchmark {

/// Error limits of a precision for a Plummer sphere in Henon units with softening 0.01.
struct AccuracyLimits {
  diagnostics::ErrorPercentiles acceleration;
  double potential;  ///< maximum error of the potential
};

/// Relative errors of all bodies, for one kernel, precision and configuration.
struct Comparison {
  std::string configuration;
  std::string kernel;
  forces::Precision precision;
  diagnostics::ErrorPercentiles acceleration;
  diagnostics::ErrorPercentiles potential;
  std::optional<AccuracyLimits> limits;  ///< empty: no limit is promised

  bool passed() const;
};

/// Compares every kernel and precision with diagnostics::reference_field(), for a Plummer sphere at
/// the origin and for one far from it. Reports each comparison when it is finished.
void compare(std::size_t bodies, std::vector<forces::Precision> const& precisions,
             std::vector<std::string> const& kernels,
             std::function<void(Comparison const&)> const& report);

/// Heading, lines and verdict of the table, and {"environment": {...}, "rows": [...]}.
std::string compare_heading(std::size_t bodies);
std::string compare_line(Comparison const& comparison);
std::string compare_verdict(std::size_t comparisons, std::size_t failed);
std::string compare_json(std::size_t bodies, std::vector<Comparison> const& comparisons);

/// Errors of a sample of bodies of a configuration, against diagnostics::reference_field().
struct FmmErrors {
  std::string configuration;
  std::size_t bodies;
  forces::Precision precision;
  double accuracy;  ///< requested accuracy
  diagnostics::ErrorPercentiles acceleration, potential;
  double momentum;  ///< |sum of m a| / sum of |m a|, of all bodies

  /// Whether both 99th percentiles are within the accuracy, and momentum is conserved.
  bool passed() const;
};
constexpr double max_momentum_error = 1e-6;

/// Measures errors for a Plummer sphere, an NFW halo, a disk galaxy, a uniform sphere, two distant
/// spheres, a cold collapse at maximum density, coincident pairs, one distant body and masses over
/// twelve decades, of about `bodies` bodies each. Reports each when it is finished.
void compare_fmm(std::size_t bodies, std::vector<forces::Precision> const& precisions,
                 double accuracy, std::function<void(FmmErrors const&)> const& report);

std::string fmm_errors_heading(std::size_t bodies, double accuracy);
std::string fmm_errors_line(FmmErrors const& errors);
/// Returns {"environment": {...}, "rows": [...]}.
std::string fmm_errors_json(std::vector<FmmErrors> const& rows);

/// Cost of the forces of all bodies of a Plummer sphere; times are medians.
struct FmmCost {
  std::size_t bodies;
  forces::Precision precision;
  double accuracy;
  double seconds_force;
  double spread;
  double seconds_step;  ///< of leapfrog
  double error_99;      ///< 99th percentile of the relative error of accelerations, from a sample
  double momentum;
  std::vector<std::pair<std::string, double>> parts;  ///< [s], each measured with a fence
};

/// Measures the cost, after one evaluation that provides the previous accelerations for the MAC.
FmmCost fmm_cost(std::size_t bodies, forces::Precision precision, double accuracy, int repeats);

std::string fmm_cost_heading();
std::string fmm_cost_line(FmmCost const& cost);
std::string fmm_cost_json(std::vector<FmmCost> const& rows, bool complete);

}  // namespace apsis::benchmark
