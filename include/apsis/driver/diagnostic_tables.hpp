// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/driver/configuration.hpp>
#include <apsis/driver/instant.hpp>
#include <apsis/driver/run_directory.hpp>
#include <apsis/driver/run_record.hpp>
#include <apsis/io/file.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace apsis::driver {

/// The tables that a run's diagnostics grow row by row: when each is due, and what is in it.
class DiagnosticTables {
 public:
  /// Rows of a time: those that its step is due for, or those of a last step that is due for none.
  enum class Rows { scheduled, unscheduled };

  /// None.
  DiagnosticTables() = default;
  /// Those that the deck asks for. Creates them with their headers and descriptions; `run` must
  /// outlive the tables. Throws an input/output error.
  DiagnosticTables(Configuration const& run, RunDirectory const& directory);
  /// The same of a run that goes on: cut back to where they were.
  DiagnosticTables(Configuration const& run, RunDirectory const& directory, RunRecord const& from);

  /// Whether there are such rows to measure after this step: at the start and at every interval.
  bool due(std::uint64_t step, Rows rows = Rows::scheduled) const;

  /// Measures the rows and keeps them back.
  void measure(Instant& now, Rows rows = Rows::scheduled);

  /// Writes down the rows that were kept back.
  void write();

  /// Forgets the rows that were kept back: the run goes back to where it was at the last write().
  void forget();

  void sync();
  void close();
  void tell(RunRecord& record) const;
  /// Rows that are kept back.
  void exchange(SavedState& state);

 private:
  struct Table {
    PlannedDiagnostic const* plan;
    std::vector<TableColumn> columns;
    io::LineFile file;
    std::vector<std::string> kept_back;
  };

  void add(PlannedDiagnostic const& plan, RunDirectory const& directory, io::LineFile file);
  static bool due(PlannedDiagnostic const& plan, std::uint64_t step, Rows rows) {
    return (step % plan.steps == 0) == (rows == Rows::scheduled);
  }

  Units units_;
  std::vector<Table> tables_;
};

}  // namespace apsis::driver
