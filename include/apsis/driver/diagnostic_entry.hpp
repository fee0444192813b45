// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/parameter.hpp>
#include <apsis/core/registry.hpp>
#include <apsis/core/table_column.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

namespace apsis::driver {

class Instant;

/// A number in a row of a table: a quantity in the run's own units, or a whole number.
using Cell = std::variant<double, std::uint64_t>;

/// One line of the table of diagnostics: an object that a deck's section `diagnostics` may have,
/// and the table that a run then writes.
struct DiagnosticEntry {
  std::string name;  ///< of the object
  std::string file;
  std::string doc;
  std::vector<Parameter> parameters;  ///< besides the interval
  /// What follows step and time in each row, and the numbers of a row.
  std::vector<TableColumn> (*columns)(Values const&);
  std::vector<Cell> (*row)(Values const&, Instant&);
  std::uint64_t fewest_bodies = 0;
  std::uint64_t most_bodies = std::numeric_limits<std::uint64_t>::max();
};

/// Every diagnostic.
Registry<DiagnosticEntry> const& diagnostic_entries();

/// A diagnostic that a deck asks for.
struct PlannedDiagnostic {
  DiagnosticEntry const* entry;
  Values values;
  std::uint64_t steps;  ///< between rows
};

}  // namespace apsis::driver
