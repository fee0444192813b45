// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/diagnostics/relative_error.hpp>
#include <apsis/forces/precision.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace apsis::benchmark {

/// Error limits of a precision for a Plummer sphere in Henon units with softening 0.01; see
/// README.md.
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

/// Return the table's heading, a line of it, its last line, and {"environment": {...}, "rows":
/// [...]}.
std::string compare_heading(std::size_t bodies);
std::string compare_line(Comparison const& comparison);
std::string compare_verdict(std::size_t comparisons, std::size_t failed);
std::string compare_json(std::size_t bodies, std::vector<Comparison> const& comparisons);

}  // namespace apsis::benchmark
