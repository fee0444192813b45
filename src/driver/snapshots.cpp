// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/build_info.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/driver/background.hpp>
#include <apsis/driver/observer.hpp>
#include <apsis/driver/run_record.hpp>
#include <apsis/driver/simulation.hpp>
#include <apsis/io/snapshot.hpp>

#include <utility>

namespace apsis::driver {

namespace {

io::SnapshotHeader header_of(Configuration const& run, std::string const& deck, std::uint64_t count,
                             std::uint64_t step) {
  io::SnapshotHeader header;
  header.count = count;
  header.time = run.time(step);
  header.step = step;
  header.time_step = run.time_step;
  header.units = run.units;
  header.title = run.title;
  header.deck = deck;
  header.precision = name_of(run.precision);
  header.backend = build_info().backend;
  header.device = device_name();
  header.compression = run.snapshot_content.compression;
  return header;
}

class Snapshots final : public Observer {
 public:
  Snapshots(Surroundings const& of, Tolerance& tolerance) : of_(of), background_(tolerance) {
    if (of.from == nullptr) return;
    count_ = of.from->snapshots;
    kept_ = of.from->kept_snapshots;
  }

  bool due(Standing const& at, Occasion why) const override {
    auto const interval = of_.run.snapshot_steps;
    bool const scheduled = interval && at.step % *interval == 0;
    if (why == Occasion::scheduled) return scheduled;
    return why == Occasion::end && of_.run.final_state && !scheduled;
  }

  void see(Instant& now, Standing const& at, Occasion) override {
    auto path = of_.directory.snapshot(count_++);
    auto header = header_of(of_.run, of_.deck, now.count(), at.step);
    background_.hand(now, of_.run.snapshot_content,
                     [path = std::move(path), header = std::move(header)](HostColumns const& of) {
                       std::visit(
                           [&](auto const& columns) { io::write_snapshot(path, header, columns); },
                           of.columns);
                     });
  }

  void keep() override { kept_ = count_; }
  void forget() override { count_ = kept_; }
  void cut() override { of_.directory.cut_back_snapshots(count_); }
  void settle() override { background_.settle(); }
  bool busy() const override { return background_.busy(); }
  void tell(RunRecord& record) const override {
    record.snapshots = count_;
    record.kept_snapshots = kept_;
  }

 private:
  Surroundings of_;
  Background background_;
  std::uint64_t count_ = 0;  ///< numbers used so far
  std::uint64_t kept_ = 0;   ///< count at the last commit
};

}  // namespace

std::unique_ptr<Observer> snapshots(Surroundings const& of, Tolerance& tolerance) {
  return std::make_unique<Snapshots>(of, tolerance);
}

}  // namespace apsis::driver
