// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/driver/configuration.hpp>
#include <apsis/driver/run_directory.hpp>
#include <apsis/io/file.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace apsis::driver {

/// The tables that a run's diagnostics grow row by row: when each is due, and what is in it.
class DiagnosticTables {
 public:
  /// None.
  DiagnosticTables() = default;
  /// Those that the deck asks for. Creates them with their headers and descriptions; `run` must
  /// outlive the tables. Throws an input/output error.
  DiagnosticTables(Configuration const& run, RunDirectory const& directory);

  /// Whether there are rows to measure after this step: at the start, at every interval and after
  /// the last step.
  bool due(std::uint64_t step, bool last) const;

  /// Measures the rows that are due and keeps them back.
  void measure(Instant& now, bool last);

  /// Writes down the rows that were kept back.
  void write();

  /// Forgets the rows that were kept back: the run goes back to where it was at the last write().
  void forget();

 private:
  struct Table {
    PlannedDiagnostic const* plan;
    std::vector<TableColumn> columns;
    io::LineFile file;
    std::vector<std::string> kept_back;
  };

  static bool due(PlannedDiagnostic const& plan, std::uint64_t step, bool last) {
    return last || step % plan.steps == 0;
  }

  Units units_;
  std::vector<Table> tables_;
};

}  // namespace apsis::driver
