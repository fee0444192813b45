// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/registry.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// Suite of problems with known answers: published, analytic or computed independently. They run
/// through the same code as any deck.
namespace apsis::simulation {
class Leader;
}
namespace apsis::verification {

/// Result of one measurement, compared with its known value.
struct Row {
  std::string problem;  ///< the problem and the measured quantity
  std::string method;   ///< tested method: an integrator or a model
  double measured;
  std::optional<double> expected;  ///< empty for an error, expected to be 0
  double limit;                    ///< of |measured - expected|, or of an error

  /// Whether the result is within the limit; false for NaN.
  bool passed() const;
};

/// Extent of the suite, and the ranks that run it.
struct Setting {
  bool quick = false;  ///< under a minute on two cores: fewer bodies and shorter runs
  /// Leader of the ranks that share every simulation; empty for a single process.
  std::shared_ptr<simulation::Leader> leader{};
};

using Report = std::function<void(Row const&)>;

struct KnownAnswer {
  using Verify = void(Setting const&, Report const&);

  std::string name;
  std::string doc;  ///< the known answer and its source
  Verify* verify;
};

/// Table of all problems, in the order of the report.
Registry<KnownAnswer> const& known_answers();

/// Return the table's heading, a row of it, its last line, and {"environment": {...}, "rows":
/// [...]}. A row begins with a line that names its problem, unless that is the problem above.
std::string verify_heading();
std::string verify_line(Row const& row, std::string const& problem_above);
std::string verify_verdict(std::vector<Row> const& rows);
std::string verify_json(std::vector<Row> const& rows);

}  // namespace apsis::verification
