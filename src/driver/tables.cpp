// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/text.hpp>
#include <apsis/diagnostics/conservation.hpp>
#include <apsis/driver/observer.hpp>
#include <apsis/driver/run_record.hpp>
#include <apsis/driver/simulation.hpp>
#include <apsis/io/csv_metadata.hpp>

#include <algorithm>
#include <cmath>

namespace apsis::driver {

namespace {

/// Observer that writes a table: a row at the start, at every interval and at the last step.
class Table : public Observer {
 public:
  /// Creates the file with its header and its description. For a resumed run the file is cut back
  /// to `written` instead.
  Table(Surroundings const& of, std::string const& file, std::vector<TableColumn> const& columns,
        std::uint64_t steps, io::LineFile::Written const* kept)
      : steps_(steps), file_(of.directory.table(file), kept) {
    io::write_file(of.directory.table_metadata(file),
                   io::csv_metadata(file, columns, of.run.units));
    if (kept == nullptr) file_.write(header_line(columns));
  }

  bool due(Standing const& at, Occasion why) const override {
    return (at.step % steps_ == 0) == (why == Occasion::scheduled);
  }
  void sync() override { file_.sync(); }
  void close() override { file_.close(); }

 private:
  std::uint64_t steps_;  ///< between rows

 protected:
  io::LineFile file_;
};

class ConservationLog final : public Table {
 public:
  explicit ConservationLog(Surroundings const& of)
      : Table(of, of.directory.conservation().file_name(), diagnostics::conservation_columns(),
              of.run.conservation_steps, of.from != nullptr ? &of.from->log : nullptr) {}

  void see(Instant&, Standing const& at, Occasion) override {
    APSIS_EXPECT(at.conserved != nullptr, "a state that is logged is measured");
    file_.write(diagnostics::conservation_row(at.step, at.time, *at.conserved, at.wall_seconds));
  }
  void tell(RunRecord& record) const override { record.log = file_.written(); }
};

std::vector<TableColumn> own_columns(PlannedDiagnostic const& plan) {
  std::vector<TableColumn> columns{
      {"step", "time steps of the deck since the start", dimension::none, "", true},
      {"time", "simulated time", dimension::time}};
  for (auto& column : plan.entry->columns(plan.values)) columns.push_back(std::move(column));
  return columns;
}

/// Returns the columns of the entry in the units of the run. Each column that is traditionally
/// given in km/s is followed by one in km/s.
std::vector<TableColumn> written_columns(PlannedDiagnostic const& plan, Units const& units) {
  std::vector<TableColumn> columns;
  for (auto const& column : own_columns(plan)) {
    columns.push_back(column);
    if (!column.also_in_km_s || !units.si) continue;
    columns.push_back({column.name + "_km_s", column.doc, dimension::none, "km/s"});
  }
  return columns;
}

io::LineFile::Written const* kept_of(RunRecord const* from, std::string const& file) {
  if (from == nullptr) return nullptr;
  auto const& files = from->table_files;
  auto const found = std::find(files.begin(), files.end(), file);
  APSIS_EXPECT(found != files.end(), "the decks have the same tables");
  return &from->tables[static_cast<std::size_t>(found - files.begin())];
}

class DiagnosticTable final : public Table {
 public:
  DiagnosticTable(Surroundings const& of, PlannedDiagnostic const& plan)
      : Table(of, plan.entry->file, written_columns(plan, of.run.units), plan.steps,
              kept_of(of.from, plan.entry->file)),
        plan_(plan),
        columns_(own_columns(plan)),
        units_(of.run.units) {}

  void see(Instant& now, Standing const& at, Occasion) override {
    auto rows = plan_.entry->rows(plan_.values, now);
    owed_ = false;
    for (auto& row : rows) {
      row.insert(row.begin(), {at.step, at.time});
      kept_back_.push_back(line_of(row));
    }
  }
  bool can_be_put_off() const override { return true; }
  void put_off() override { owed_ = true; }
  bool is_owed() const override { return owed_; }

  void keep() override {
    for (auto const& line : kept_back_) file_.write(line);
    kept_back_.clear();
  }
  void forget() override {
    kept_back_.clear();
    owed_ = false;
  }

  void tell(RunRecord& record) const override {
    record.table_files.push_back(plan_.entry->file);
    record.tables.push_back(file_.written());
  }
  void exchange(SavedState& state) override {
    state.exchange("tables/" + plan_.entry->file, kept_back_);
    state.exchange("tables/" + plan_.entry->file + "/owed", owed_);
  }
  void end(Instant const&, Standing const&) override {
    keep();  // includes the rows of the last time before a state that is not finite
  }

 private:
  std::string line_of(std::vector<Cell> const& values) const {
    APSIS_EXPECT(values.size() == columns_.size(), "each column has a value");
    std::string line;
    for (std::size_t i = 0; i < values.size(); ++i) {
      auto const* const whole = std::get_if<std::uint64_t>(&values[i]);
      if (i > 0) line += ",";
      if (whole != nullptr) {
        line += std::to_string(*whole);
        continue;
      }
      // Undefined values are empty fields, as in other CSV files.
      double const value = std::get<double>(values[i]);
      if (!std::isnan(value)) line += shortest(value);
      if (!columns_[i].also_in_km_s || !units_.si) continue;
      line += ",";
      if (!std::isnan(value)) line += shortest(value * *units_.velocity_in_km_s());
    }
    return line;
  }

  PlannedDiagnostic const& plan_;
  std::vector<TableColumn> columns_;
  Units const& units_;
  std::vector<std::string> kept_back_;
  bool owed_ = false;  ///< a stop request interrupted the row of this step
};

}  // namespace

std::unique_ptr<Observer> conservation_log(Surroundings const& of) {
  return std::make_unique<ConservationLog>(of);
}

std::unique_ptr<Observer> diagnostic_table(Surroundings const& of, PlannedDiagnostic const& plan) {
  return std::make_unique<DiagnosticTable>(of, plan);
}

}  // namespace apsis::driver
