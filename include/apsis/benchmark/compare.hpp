// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/diagnostics/relative_error.hpp>
#include <apsis/forces/precision.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace apsis::benchmark {

/// What a precision promises for a Plummer sphere in Henon units with softening 0.01; see
/// README.md.
struct AccuracyLimits {
  diagnostics::ErrorPercentiles acceleration;
  double potential;  ///< worst
};

/// One kernel in one precision on one configuration: relative errors over all bodies.
struct Comparison {
  std::string configuration;
  std::string kernel;
  forces::Precision precision;
  diagnostics::ErrorPercentiles acceleration;
  diagnostics::ErrorPercentiles potential;
  std::optional<AccuracyLimits> limits;  ///< nothing where none is promised

  bool passed() const;
};

/// Every kernel and precision on a Plummer sphere at the origin and on one far from it, against
/// diagnostics::reference_field(). Tells each comparison as it comes.
void compare(std::size_t bodies, std::vector<forces::Precision> const& precisions,
             std::vector<std::string> const& kernels,
             std::function<void(Comparison const&)> const& tell);

/// The table's heading, a line of it, its last line, and {"environment": {...}, "rows": [...]}.
std::string compare_heading(std::size_t bodies);
std::string compare_line(Comparison const& comparison);
std::string compare_verdict(std::size_t comparisons, std::size_t failed);
std::string compare_json(std::size_t bodies, std::vector<Comparison> const& comparisons);

}  // namespace apsis::benchmark
