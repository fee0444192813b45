// SPDX-License-Identifier: Apache-2.0
#include "apsis/driver/events.hpp"

#include "io/csv_metadata.hpp"
#include <apsis/core/text.hpp>
#include <apsis/driver/observer.hpp>
#include <apsis/driver/run_record.hpp>

#include <algorithm>

namespace apsis::driver {

std::string name_of(EventKind kind) {
  static constexpr char const* names[]{"collision", "merge", "bounce", "encounter", "removal"};
  return names[static_cast<int>(kind)];
}

void EventCounts::add(Event const& event) {
  auto const kind = event.kind;
  if (kind == EventKind::encounter) ++encounters;
  if (kind == EventKind::removal) ++removed;
  if (kind == EventKind::merge) ++merged;
  if (kind != EventKind::encounter && kind != EventKind::removal) ++collisions;
}

void EventCounts::exchange(SavedState& state) {
  state.exchange("events/collisions", collisions);
  state.exchange("events/encounters", encounters);
  state.exchange("events/merged", merged);
  state.exchange("events/removed", removed);
}

namespace {

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

std::string line_of(Event const& event) {
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
class EventLog final : public Observer {
 public:
  explicit EventLog(ObserverContext const& context)
      : file_(context.directory.table(event_file), written_length(context.resumed)) {
    io::write_file(context.directory.table_metadata(event_file),
                   io::csv_metadata(event_file, event_columns(), context.run.units));
    if (context.resumed == nullptr) file_.write(header_line(event_columns()));
  }

  std::uint64_t next_step(std::uint64_t /*step*/) const override { return no_step; }
  void record(Event const& event) override { file_.write(line_of(event)); }
  void sync() override { file_.sync(); }
  void close() override { file_.close(); }
  void record_progress(RunRecord& record) const override {
    record.table_files.emplace_back(event_file);
    record.tables.push_back(file_.written());
  }

 private:
  static io::LineFile::Written const* written_length(RunRecord const* record) {
    if (record == nullptr) return nullptr;
    auto const& files = record->table_files;
    auto const position = std::find(files.begin(), files.end(), event_file);
    APSIS_EXPECT(position != files.end(),
                 "events.csv is missing from the record of the checkpoint");
    return &record->tables[static_cast<std::size_t>(position - files.begin())];
  }

  io::LineFile file_;
};

}  // namespace

std::unique_ptr<Observer> event_log(ObserverContext const& context) {
  return std::make_unique<EventLog>(context);
}

}  // namespace apsis::driver
