// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>
#include <apsis/driver/diagnostic_tables.hpp>
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

}  // namespace

DiagnosticTables::DiagnosticTables(Configuration const& run, RunDirectory const& directory)
    : units_(run.units) {
  for (auto const& plan : run.diagnostics) {
    add(plan, directory, io::LineFile(directory.table(plan.entry->file)));
    tables_.back().file.write(header_line(tables_.back().columns));
  }
}

DiagnosticTables::DiagnosticTables(Configuration const& run, RunDirectory const& directory,
                                   RunRecord const& from)
    : units_(run.units) {
  APSIS_EXPECT(from.tables.size() == run.diagnostics.size(), "the decks have the same tables");
  for (std::size_t i = 0; i < from.tables.size(); ++i) {
    auto const& plan = run.diagnostics[i];
    APSIS_EXPECT(from.table_files[i] == plan.entry->file, "the decks have the same tables");
    add(plan, directory, io::LineFile(directory.table(plan.entry->file), from.tables[i]));
  }
}

void DiagnosticTables::add(PlannedDiagnostic const& plan, RunDirectory const& directory,
                           io::LineFile file) {
  tables_.push_back({&plan, all_columns(plan), std::move(file), {}});
  io::write_file(RunDirectory::metadata_of(directory.table(plan.entry->file)),
                 io::csv_metadata(plan.entry->file, tables_.back().columns, units_));
}

bool DiagnosticTables::due(std::uint64_t step, Rows rows) const {
  return std::any_of(tables_.begin(), tables_.end(),
                     [&](Table const& table) { return due(*table.plan, step, rows); });
}

void DiagnosticTables::measure(Instant& now, Rows rows) {
  for (auto& table : tables_) {
    if (!due(*table.plan, now.step(), rows)) continue;
    auto values = table.plan->entry->row(table.plan->values, now);
    values.insert(values.begin(), now.time());
    APSIS_EXPECT(values.size() + 1 == table.columns.size(), "each column has a value");
    auto line = std::to_string(now.step());
    for (std::size_t i = 0; i < values.size(); ++i) {
      auto const& column = table.columns[i + 1];
      line += "," + (column.whole ? std::to_string(static_cast<std::uint64_t>(values[i]))
                                  : shortest(values[i] * units_.shown(column.dimension)));
    }
    table.kept_back.push_back(std::move(line));
  }
}

void DiagnosticTables::write() {
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

void DiagnosticTables::close() {
  for (auto& table : tables_) table.file.close();
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

}  // namespace apsis::driver
