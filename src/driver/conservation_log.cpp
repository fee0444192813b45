// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"
#include <apsis/diagnostics/conservation.hpp>
#include <apsis/driver/instant.hpp>
#include <apsis/driver/run_directory.hpp>
#include <apsis/driver/run_record.hpp>
#include <apsis/io/csv_metadata.hpp>
#include <apsis/io/file.hpp>

namespace apsis::driver {

namespace {

/// conservation.csv: a line of every time that is measured.
class ConservationLog final : public Observer {
 public:
  explicit ConservationLog(Surroundings const& of)
      : steps_(of.run.conservation_steps), file_(opened(of)) {
    auto const path = of.directory.conservation();
    auto const& columns = diagnostics::conservation_columns();
    io::write_file(RunDirectory::metadata_of(path),
                   io::csv_metadata(path.filename().string(), columns, of.run.units));
    if (of.from == nullptr) file_.write(header_line(columns));
  }

  bool due(Standing const& at, Occasion why) const override {
    return (at.step % steps_ == 0) == (why == Occasion::scheduled);
  }
  void see(Instant& now, Standing const& at, Occasion) override {
    file_.write(diagnostics::conservation_row(at.step, at.time, now.measure(),
                                              at.relative_energy_error, at.wall_seconds));
  }
  void sync() override { file_.sync(); }
  void tell(RunRecord& record) const override { record.log = file_.written(); }
  void close() override { file_.close(); }

 private:
  static io::LineFile opened(Surroundings const& of) {
    auto const path = of.directory.conservation();
    return of.from == nullptr ? io::LineFile(path) : io::LineFile(path, of.from->log);
  }

  std::uint64_t steps_;  ///< between lines
  io::LineFile file_;
};

}  // namespace

ObserverEntry conservation_log() {
  return {"conservation", "conservation.csv", OnError::end_the_run,
          [](Surroundings const& of) -> std::unique_ptr<Observer> {
            return std::make_unique<ConservationLog>(of);
          }};
}

}  // namespace apsis::driver
