// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/driver/configuration.hpp>
#include <apsis/driver/observer.hpp>
#include <apsis/driver/run_directory.hpp>
#include <apsis/io/file.hpp>

#include <string>
#include <vector>

namespace apsis::driver {

/// The tables that a run's diagnostics grow row by row: at the start, at every interval and at the
/// last step. Rows are kept back until the conservation log says what their time is worth.
class DiagnosticTables final : public Observer {
 public:
  /// Those that the deck asks for. Creates them with their headers and descriptions, or cuts those
  /// of a run that goes on back to where they were; `run` must outlive the tables. Throws an
  /// input/output error.
  DiagnosticTables(Configuration const& run, RunDirectory const& directory,
                   RunRecord const* from = nullptr);

  bool due(Standing const& at, Occasion why) const override;
  void see(Instant& now, Standing const& at, Occasion why) override;
  void keep() override;
  void forget() override;
  void sync() override;
  void tell(RunRecord& record) const override;
  void exchange(SavedState& state) override;
  void end(Instant const& now, Standing const& at) override;
  void close() override;

 private:
  struct Table {
    PlannedDiagnostic const* plan;
    std::vector<TableColumn> columns;
    io::LineFile file;
    std::vector<std::string> kept_back;
  };

  Units units_;
  std::vector<Table> tables_;
};

}  // namespace apsis::driver
