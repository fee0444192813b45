// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/registry.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// The known-answer suite: problems of which the answer is published, analytic or computed
/// independently, run through the same code as any deck.
namespace apsis::driver {
class Leader;
}
namespace apsis::verification {

/// Something measured, held against what is known of it.
struct Row {
  std::string problem;  ///< the known answer and the quantity of it
  std::string method;   ///< what was tried: an integrator, a model
  double measured;
  std::optional<double> expected;  ///< nothing for an error: the best is 0
  double limit;                    ///< of |measured - expected|, or of an error

  /// NaN passes nothing.
  bool passed() const;
};

/// How much of the suite is run, and by whom.
struct Setting {
  bool quick = false;  ///< under a minute on two cores: fewer bodies and shorter spans
  /// Of the processes that share every simulation; nobody: this one alone.
  std::shared_ptr<driver::Leader> leader{};
};

using Tell = std::function<void(Row const&)>;

/// One line of the table of problems.
struct KnownAnswer {
  using Verify = void(Setting const&, Tell const&);

  std::string name;
  std::string doc;  ///< what is known, and from where
  Verify* verify;
};

/// Every problem, in the order of the report.
Registry<KnownAnswer> const& known_answers();

/// The table's heading, a line of it, its last line, and {"environment": {...}, "rows": [...]}.
std::string verify_heading();
std::string verify_line(Row const& row);
std::string verify_verdict(std::vector<Row> const& rows);
std::string verify_json(std::vector<Row> const& rows);

}  // namespace apsis::verification
