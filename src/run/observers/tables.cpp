// SPDX-License-Identifier: Apache-2.0
#include "body_tables.hpp"
#include "files/csv_metadata.hpp"
#include "run/directory/run_record.hpp"
#include <apsis/core/text.hpp>
#include <apsis/diagnostics/conservation.hpp>
#include <apsis/simulation/events.hpp>

#include <cmath>

namespace apsis::run {

namespace {

/// Writes a table: a row at the start, at every interval, at listed steps and at the end.
class Table : public Observer {
 public:
  /// Creates the file with header and description, or cuts that of a resumed run to `written`.
  Table(ObserverContext const& context, std::string const& file,
        std::vector<TableColumn> const& columns, std::uint64_t steps,
        std::vector<std::uint64_t> const& listed, files::LineFile::Written const* written)
      : steps_(steps), listed_(listed), file_(context.directory.table(file), written) {
    files::write_file(context.directory.table_metadata(file),
                      files::csv_metadata(file, columns, context.run.units));
    if (written == nullptr) file_.write(header_line(columns));
  }

  bool is_due(RunStatus const& status, Occasion occasion) const override {
    bool const scheduled = status.step % steps_ == 0 || is_listed(status.step, listed_);
    return scheduled == (occasion == Occasion::scheduled);
  }
  std::uint64_t next_step(std::uint64_t step) const override {
    return std::min(next_multiple(step, steps_), next_listed(step, listed_));
  }
  void sync() override { file_.sync(); }
  void close() override { file_.close(); }

 private:
  std::uint64_t steps_;                ///< between rows
  std::vector<std::uint64_t> listed_;  ///< further steps with rows

 protected:
  files::LineFile file_;
};

class ConservationLog final : public Table {
 public:
  explicit ConservationLog(ObserverContext const& context)
      : Table(context, context.directory.conservation().file_name(),
              diagnostics::conservation_columns(), context.run.output.conservation_steps, {},
              context.resumed != nullptr ? &context.resumed->log : nullptr) {}

  void observe(simulation::Instant&, RunStatus const& status, Occasion) override {
    APSIS_EXPECT(status.conserved != nullptr, "a state must be measured before it is logged");
    file_.write(diagnostics::conservation_row(status.step, status.time, *status.conserved,
                                              status.wall_seconds));
  }
  void record_progress(RunRecord& record) const override { record.log = file_.written(); }
};

std::vector<TableColumn> all_columns(deck::PlannedDiagnostic const& plan) {
  std::vector<TableColumn> columns{
      {"step", "time steps of the deck since the start", dimension::none, "", true},
      {"time", "simulated time", dimension::time}};
  for (auto& column : plan.entry->columns(plan.values)) columns.push_back(std::move(column));
  return columns;
}

/// Returns the columns of the entry in the units of the run. Each column that is traditionally
/// given in km/s is followed by one in km/s.
std::vector<TableColumn> written_columns(deck::PlannedDiagnostic const& plan, Units const& units) {
  std::vector<TableColumn> columns;
  for (auto const& column : all_columns(plan)) {
    columns.push_back(column);
    if (!column.also_in_km_s || !units.si) continue;
    columns.push_back({column.name + "_km_s", column.doc, dimension::none, "km/s"});
  }
  return columns;
}

files::LineFile::Written const* written_length(RunRecord const* record, std::string const& file) {
  if (record == nullptr) return nullptr;
  auto const& files = record->table_files;
  auto const position = std::find(files.begin(), files.end(), file);
  APSIS_EXPECT(position != files.end(), file + " is missing from the record of the checkpoint");
  return &record->tables[static_cast<std::size_t>(position - files.begin())];
}

class DiagnosticTable final : public Table {
 public:
  DiagnosticTable(ObserverContext const& context, deck::PlannedDiagnostic const& plan)
      : Table(context, plan.entry->file, written_columns(plan, context.run.units), plan.steps,
              plan.listed, written_length(context.resumed, plan.entry->file)),
        plan_(plan),
        columns_(all_columns(plan)),
        units_(context.run.units),
        followed_(plan.entry->follow != nullptr ? plan.entry->follow(plan.values, context.run)
                                                : nullptr) {}

  bool is_due(RunStatus const& status, Occasion occasion) const override {
    return followed_ ? occasion == Occasion::scheduled : Table::is_due(status, occasion);
  }
  std::uint64_t next_step(std::uint64_t step) const override {
    return followed_ ? step + 1 : Table::next_step(step);
  }

  void observe(simulation::Instant& now, RunStatus const& status, Occasion) override {
    if (followed_) {
      for (auto const& row : followed_->rows(now, status)) pending_.push_back(line_of(row));
      deferred_ = false;
      return;
    }
    auto rows = plan_.entry->rows(plan_.values, now);
    deferred_ = false;
    for (auto& row : rows) {
      row.insert(row.begin(), {status.step, status.time});
      pending_.push_back(line_of(row));
    }
  }
  bool can_defer() const override { return true; }
  void defer() override { deferred_ = true; }
  bool is_deferred() const override { return deferred_; }

  void commit() override {
    for (auto const& line : pending_) file_.write(line);
    pending_.clear();
    if (followed_) followed_->commit();
  }
  void discard() override {
    if (followed_) followed_->discard();
    pending_.clear();
    deferred_ = false;
  }

  void record_progress(RunRecord& record) const override {
    record.table_files.push_back(plan_.entry->file);
    record.tables.push_back(file_.written());
  }
  void exchange(SavedState& state) override {
    state.exchange("tables/" + plan_.entry->file, pending_);
    state.exchange("tables/" + plan_.entry->file + "/owed", deferred_);
    if (followed_) followed_->exchange(state);
  }
  void end(simulation::Instant const&, RunStatus const&) override {
    commit();  // writes rows that precede a state that is not finite
  }

 private:
  std::string line_of(std::vector<deck::Cell> const& values) const {
    APSIS_EXPECT(values.size() == columns_.size(), "a row must have a value for each column");
    std::string line;
    for (std::size_t i = 0; i < values.size(); ++i) {
      auto const* const integer = std::get_if<std::uint64_t>(&values[i]);
      if (i > 0) line += ",";
      if (integer != nullptr) {
        line += std::to_string(*integer);
        continue;
      }
      if (auto const* const words = std::get_if<std::string>(&values[i])) {
        line += *words;
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

  deck::PlannedDiagnostic const& plan_;
  std::vector<TableColumn> columns_;
  Units const& units_;
  std::shared_ptr<StepRows> followed_;  ///< null for tables with an interval
  std::vector<std::string> pending_;
  bool deferred_ = false;  ///< a stop request interrupted the row of this step
};

std::vector<TableColumn> event_columns() {
  using namespace dimension;
  return {
      {"time", "simulated time", dimension::time},
      {"kind",
       "collision (the run ends before it), merge, bounce, encounter (closest approach) or "
       "removal"},
      {"id_1", "id of the heavier body, of equal ones the lower id; it remains after a merge", none,
       "", true},
      {"id_2", "id of the other body; empty for a removal", none, "", true},
      {"distance", "of the two bodies; of a removed body from the centre of mass", length},
      {"relative_speed", "of the two bodies; of a removed body to the centre of mass", velocity},
      {"mass_1", "mass of body id_1 before the event", mass},
      {"mass_2", "mass of body id_2 before the event", mass},
      {"energy", "energy moved out of internal_energy by the event", energy},
      {"momentum_x", "momentum moved out of the sum, x component", momentum},
      {"momentum_y", "momentum moved out of the sum, y component", momentum},
      {"momentum_z", "momentum moved out of the sum, z component", momentum},
      {"angular_momentum_x", "angular momentum moved out of the sum, x component",
       angular_momentum},
      {"angular_momentum_y", "angular momentum moved out of the sum, y component",
       angular_momentum},
      {"angular_momentum_z", "angular momentum moved out of the sum, z component",
       angular_momentum}};
}

std::string line_of(simulation::Event const& event) {
  auto const& p = event.moved.momentum;
  auto const& l = event.moved.angular_momentum;
  auto line = shortest(event.time) + "," + name_of(event.kind) + "," + std::to_string(event.first) +
              "," + (event.second ? std::to_string(*event.second) : "") + "," +
              shortest(event.distance) + "," + shortest(event.speed) + "," +
              shortest(event.first_mass) + "," +
              (event.second ? shortest(event.second_mass) : std::string());
  for (double const value : {event.moved.energy, p.x, p.y, p.z, l.x, l.y, l.z}) {
    line += "," + shortest(value + 0.0);  // no sign of zero
  }
  return line;
}

/// Writes events.csv. For a resumed run the file is cut back to the state of the checkpoint.
class EventLog final : public Table {
 public:
  explicit EventLog(ObserverContext const& context)
      : Table(context, simulation::event_file, event_columns(), 1, {},
              written_length(context.resumed, simulation::event_file)) {}

  bool is_due(RunStatus const& /*status*/, Occasion /*occasion*/) const override { return false; }
  std::uint64_t next_step(std::uint64_t /*step*/) const override { return no_step; }
  void record(simulation::Event const& event) override { file_.write(line_of(event)); }
  void record_progress(RunRecord& record) const override {
    record.table_files.emplace_back(simulation::event_file);
    record.tables.push_back(file_.written());
  }
};

}  // namespace

std::unique_ptr<Observer> conservation_log(ObserverContext const& context) {
  return std::make_unique<ConservationLog>(context);
}

std::unique_ptr<Observer> diagnostic_table(ObserverContext const& context,
                                           deck::PlannedDiagnostic const& plan) {
  return std::make_unique<DiagnosticTable>(context, plan);
}

std::unique_ptr<Observer> event_log(ObserverContext const& context) {
  return std::make_unique<EventLog>(context);
}

}  // namespace apsis::run
