// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/diagnostics/relative_error.hpp>
#include <apsis/forces/precision.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/// The solver `fmm`: what it promises, and what it costs.
namespace apsis::benchmark {

/// Errors on one configuration, of some of its bodies, against diagnostics::reference_field().
struct FmmErrors {
  std::string configuration;
  std::size_t bodies;
  forces::Precision precision;
  double accuracy;  ///< that was asked for
  diagnostics::ErrorPercentiles acceleration, potential;
  double momentum;  ///< |sum of m a| / sum of |m a|, of all bodies

  /// Whether 99 % are within the accuracy, in acceleration and potential, and momentum is kept.
  bool passed() const;
};
constexpr double most_momentum_made = 1e-6;

/// Plummer, NFW, a disk galaxy, a uniform sphere, two spheres far apart, a cold collapse at its
/// densest, pairs in one place, one body far away and masses over twelve decades, of about so many
/// bodies each. Tells each comparison as it comes.
void compare_fmm(std::size_t bodies, std::vector<forces::Precision> const& precisions,
                 double accuracy, std::function<void(FmmErrors const&)> const& tell);

std::string fmm_errors_heading(std::size_t bodies, double accuracy);
std::string fmm_errors_line(FmmErrors const& of);
/// {"environment": {...}, "rows": [...]}.
std::string fmm_errors_json(std::vector<FmmErrors> const& rows);

/// What the forces of all bodies of a Plummer sphere cost; times are medians.
struct FmmCost {
  std::size_t bodies;
  forces::Precision precision;
  double accuracy;
  double seconds_force;
  double spread;
  double seconds_step;  ///< of leapfrog
  double error_99;      ///< relative error of accelerations that 99 % of a sample stay within
  double momentum;
  std::vector<std::pair<std::string, double>> parts;  ///< [s], each waited for
};

/// Times it, after an evaluation that finds what the next ones decide by.
FmmCost fmm_cost(std::size_t bodies, forces::Precision precision, double accuracy, int repeats);

std::string fmm_cost_heading();
std::string fmm_cost_line(FmmCost const& cost);
std::string fmm_cost_json(std::vector<FmmCost> const& rows, bool complete);

}  // namespace apsis::benchmark
