// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>
#include <apsis/driver/diagnostic_tables.hpp>
#include <apsis/driver/instant.hpp>
#include <apsis/driver/run_record.hpp>
#include <apsis/io/csv_metadata.hpp>

#include <algorithm>

namespace apsis::driver {

namespace {

std::vector<TableColumn> all_columns(PlannedDiagnostic const& plan) {
  std::vector<TableColumn> columns{
      {"step", "time steps of the deck since the start", dimension::none, "", true},
      {"time", "simulated time", dimension::time}};
  for (auto& column : plan.entry->columns(plan.values)) columns.push_back(std::move(column));
  return columns;
}

/// Whether a table's schedule asks for a row, or the last state is due for none.
bool is_due(PlannedDiagnostic const& plan, std::uint64_t step, Occasion why) {
  return (step % plan.steps == 0) == (why == Occasion::scheduled);
}

}  // namespace

DiagnosticTables::DiagnosticTables(Configuration const& run, RunDirectory const& directory,
                                   RunRecord const* from)
    : units_(run.units) {
  auto const same = [](bool as_before) {
    APSIS_EXPECT(as_before, "the decks have the same tables");
  };
  same(from == nullptr || from->tables.size() == run.diagnostics.size());
  for (std::size_t i = 0; i < run.diagnostics.size(); ++i) {
    auto const& plan = run.diagnostics[i];
    auto const name = plan.entry->file;
    auto const path = directory.table(name);
    if (from != nullptr) {
      same(from->table_files[i] == name);
      tables_.push_back({&plan, all_columns(plan), io::LineFile(path, from->tables[i]), {}});
    } else {
      tables_.push_back({&plan, all_columns(plan), io::LineFile(path), {}});
      tables_.back().file.write(header_line(tables_.back().columns));
    }
    io::write_file(RunDirectory::metadata_of(path),
                   io::csv_metadata(name, tables_.back().columns, units_));
  }
}

bool DiagnosticTables::due(Standing const& at, Occasion why) const {
  return std::any_of(tables_.begin(), tables_.end(),
                     [&](Table const& table) { return is_due(*table.plan, at.step, why); });
}

void DiagnosticTables::see(Instant& now, Standing const& at, Occasion why) {
  for (auto& table : tables_) {
    if (!is_due(*table.plan, at.step, why)) continue;
    auto values = table.plan->entry->row(table.plan->values, now);
    values.insert(values.begin(), at.time);
    APSIS_EXPECT(values.size() + 1 == table.columns.size(), "each column has a value");
    auto line = std::to_string(at.step);
    for (std::size_t i = 0; i < values.size(); ++i) {
      double const unit = units_.shown(table.columns[i + 1].dimension);
      auto const* const whole = std::get_if<std::uint64_t>(&values[i]);
      line += "," + (whole != nullptr ? std::to_string(*whole)
                                      : shortest(std::get<double>(values[i]) * unit));
    }
    table.kept_back.push_back(std::move(line));
  }
}

void DiagnosticTables::keep() {
  for (auto& table : tables_) {
    for (auto const& line : table.kept_back) table.file.write(line);
    table.kept_back.clear();
  }
}

void DiagnosticTables::forget() {
  for (auto& table : tables_) table.kept_back.clear();
}

void DiagnosticTables::sync() {
  for (auto& table : tables_) table.file.sync();
}

void DiagnosticTables::tell(RunRecord& record) const {
  record.table_files.clear();
  record.tables.clear();
  for (auto const& table : tables_) {
    record.table_files.push_back(table.plan->entry->file);
    record.tables.push_back(table.file.written());
  }
}

void DiagnosticTables::exchange(SavedState& state) {
  for (auto& table : tables_) {
    state.exchange("tables/" + table.plan->entry->file, table.kept_back);
  }
}

void DiagnosticTables::end(Instant const&, Standing const&) {
  keep();  // also what is of the last time before a state that is not finite
}

void DiagnosticTables::close() {
  for (auto& table : tables_) table.file.close();
}

ObserverEntry diagnostic_tables() {
  return {"diagnostics", "the tables that the deck's diagnostics grow", OnError::end_the_run,
          [](Surroundings const& of) -> std::unique_ptr<Observer> {
            if (of.run.diagnostics.empty()) return nullptr;
            return std::make_unique<DiagnosticTables>(of.run, of.directory, of.from);
          }};
}

}  // namespace apsis::driver
