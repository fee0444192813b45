// SPDX-License-Identifier: Apache-2.0
#include <apsis/driver/run_output.hpp>
#include <apsis/driver/simulation.hpp>
#include <apsis/io/file.hpp>

#include <algorithm>
#include <utility>

namespace apsis::driver {

RunOutput::RunOutput(Configuration const& run, RunDirectory& in, std::string resolved_deck,
                     Display display, RunRecord const* from)
    : directory(in),
      deck(std::move(resolved_deck)),
      is_shown(display.style != ProgressStyle::none) {
  if (from != nullptr) in.cut_back(from->snapshots, from->table_files);
  in.claim_summary();
  io::write_file(in.resolved_deck(), deck);
  Surroundings const of{run, in, deck, from};
  add("conservation", OnError::end_the_run, [&](Tolerance&) { return conservation_log(of); });
  for (auto const& plan : run.diagnostics) {
    add("diagnostics", OnError::end_the_run,
        [&](Tolerance&) { return diagnostic_table(of, plan); });
  }
  if (run.snapshot_steps || run.final_state) {
    add("snapshot", OnError::warn_a_few_times,
        [&](Tolerance& tolerance) { return snapshots(of, tolerance); });
  }
  for (auto const& plan : run.pictures) {
    add("picture", OnError::warn_a_few_times,
        [&](Tolerance& tolerance) { return pictures(of, plan, tolerance); });
  }
  if (is_shown) {
    add("progress", OnError::warn, [&](Tolerance&) { return progress(display); });
  }
}

bool RunOutput::due(Standing const& at, Occasion why) const {
  return std::any_of(all_.begin(), all_.end(),
                     [&](Watched const& one) { return one.observer->due(at, why); });
}

void RunOutput::see(Instant& now, Standing const& at, Occasion why) {
  for (auto& one : all_) {
    if (one.observer->due(at, why)) show(one, now, at, why);
  }
  if (!directory.replaces()) return;
  sync();  // the old run is removed only after the first lines of the new one are on the disk
  directory.begun();
}

void RunOutput::show(Watched& one, Instant& now, Standing const& at, Occasion why) {
  auto& [tolerance, observer] = one;
  bool interrupted = false;
  bool const seen = tolerance->attempt([&, &who = *observer] {
    try {
      if (who.can_be_put_off()) now.poll();
      who.see(now, at, why);
    } catch (Interrupted const&) {
      interrupted = true;
    }
  });
  // Observations that only the end of this process requests are dropped.
  if (interrupted && why == Occasion::scheduled) observer->put_off();
  if (seen && !interrupted && !observer->busy()) tolerance->succeeded();
}

bool RunOutput::owes() const {
  return std::any_of(all_.begin(), all_.end(),
                     [](Watched const& one) { return one.observer->is_owed(); });
}

void RunOutput::see_owed(Instant& now, Standing const& at) {
  for (auto& one : all_) {
    if (one.observer->is_owed()) show(one, now, at, Occasion::scheduled);
  }
}

void RunOutput::sync() {
  for (auto& one : all_) one.observer->sync();
  directory.sync();
}

void RunOutput::tell(RunRecord& record) const {
  record.deck = deck;
  record.table_files.clear();
  record.tables.clear();
  for (auto const& one : all_) one.observer->tell(record);
}

void RunOutput::exchange(SavedState& state) {
  for (auto& one : all_) one.observer->exchange(state);
}

bool RunOutput::failed_last(std::string const& what) const {
  return std::any_of(all_.begin(), all_.end(), [&](Watched const& one) {
    return one.tolerance->what() == what && one.tolerance->failed_last();
  });
}

void RunOutput::finish() {
  sync();
  for (auto& one : all_) one.observer->close();
  if (directory.resolved_deck().kind() == io::EntryKind::absent) {
    io::write_file(directory.resolved_deck(), deck);
    warn({directory.resolved_deck().string(), "was removed during the run", "",
          "it is there again"});
  }
  directory.finish();
}

}  // namespace apsis::driver
