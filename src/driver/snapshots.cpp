// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"
#include <apsis/core/build_info.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/driver/instant.hpp>
#include <apsis/driver/run_record.hpp>
#include <apsis/driver/snapshots.hpp>
#include <apsis/io/snapshot.hpp>

#include <utility>

namespace apsis::driver {

namespace {

io::SnapshotHeader header_of(Configuration const& run, std::string const& deck, std::uint64_t count,
                             std::uint64_t step) {
  auto const build = build_info();
  io::SnapshotHeader header;
  header.count = count;
  header.time = run.time(step);
  header.step = step;
  header.time_step = run.time_step;
  header.units = run.units;
  header.title = run.title;
  header.deck = deck;
  header.precision = name_of(run.precision);
  header.version = build.version;
  header.git = build.git;
  header.backend = build.backend;
  header.device = device_name();
  header.kokkos = build.kokkos;
  header.compiler = build.compiler;
  header.compression = run.snapshot_content.compression;
  return header;
}

}  // namespace

Snapshots::Snapshots(Configuration const& run, RunDirectory const& directory,
                     std::string const& deck, Tolerance& tolerance, RunRecord const* from)
    : run_(run), directory_(directory), deck_(deck), background_(tolerance) {
  if (from == nullptr) return;
  count_ = from->snapshots;
  kept_ = from->kept_snapshots;
}

bool Snapshots::due(Standing const& at, Occasion why) const {
  bool const scheduled = run_.snapshot_steps && at.step % *run_.snapshot_steps == 0;
  return why == Occasion::scheduled ? scheduled : why == Occasion::end && !scheduled;
}

void Snapshots::see(Instant& now, Standing const& at, Occasion) {
  auto path = directory_.snapshot(count_++);
  auto header = header_of(run_, deck_, now.count(), at.step);
  background_.hand(now, run_.snapshot_content,
                   [path = std::move(path), header = std::move(header)](HostColumns const& copies) {
                     std::visit(
                         [&](auto const& columns) { io::write_snapshot(path, header, columns); },
                         copies.columns);
                   });
}

void Snapshots::tell(RunRecord& record) const {
  record.snapshots = count_;
  record.kept_snapshots = kept_;
}

ObserverEntry snapshots() {
  return {"snapshot", "snapshot_NNNNNN.h5", OnError::warn_a_few_times,
          [](Surroundings const& of) -> std::unique_ptr<Observer> {
            if (!of.run.snapshot_steps) return nullptr;
            return std::make_unique<Snapshots>(of.run, of.directory, of.deck, of.tolerance,
                                               of.from);
          }};
}

}  // namespace apsis::driver
