// SPDX-License-Identifier: Apache-2.0
#include "apsis/run/run_output.hpp"

#include "background.hpp"
#include "core/thread_binding.hpp"
#include "run/directory/run_record.hpp"
#include <apsis/formats/snapshot.hpp>
#include <apsis/simulation/measurements.hpp>
#include <apsis/simulation/simulation.hpp>

#include <algorithm>

namespace apsis::run {

void TaskQueue::start(std::function<void()> task) {
  std::shared_future<void> previous;
  if (order_ == Order::sequential) {
    previous = tasks_[(next_ + tasks_.size() - 1) % tasks_.size()];
  }
  tasks_[next_] = std::async(
      std::launch::async, [previous = std::move(previous), task = std::move(task)]() mutable {
        unbind_this_thread();
        if (previous.valid()) previous.wait();
        previous = {};  // otherwise each task would keep all previous ones alive
        task();
      });
  next_ = (next_ + 1) % tasks_.size();
}

bool TaskQueue::is_busy() const {
  return std::any_of(tasks_.begin(), tasks_.end(), [](auto const& task) { return task.valid(); });
}

void TaskQueue::collect(std::shared_future<void>& task) {
  auto const finished = std::exchange(task, {});
  if (finished.valid() && error_policy_.attempt([&] { finished.get(); }))
    error_policy_.reset_failures();
}

void Background::submit(simulation::Instant& now, deck::SnapshotContent const& content, Task task) {
  auto& copies = copies_[tasks_.wait_for_slot()];
  copy_columns(now, copies, content);
  tasks_.start([task = std::move(task), &copies] { task(copies); });
}

namespace {

class Snapshots final : public Observer {
 public:
  Snapshots(ObserverContext const& context, ErrorPolicy& error_policy)
      : context_(context), background_(error_policy) {
    if (context.resumed == nullptr) return;
    count_ = context.resumed->snapshots;
    committed_count_ = context.resumed->committed_snapshots;
  }

  bool is_due(RunStatus const& status, Occasion occasion) const override {
    auto const& output = context_.run.output;
    auto const interval = output.snapshot_steps;
    bool const scheduled = (interval && status.step % *interval == 0) ||
                           is_listed(status.step, output.snapshot_listed);
    if (occasion == Occasion::scheduled) return scheduled;
    return occasion == Occasion::end && context_.run.output.final_state && !scheduled;
  }

  std::uint64_t next_step(std::uint64_t step) const override {
    auto const& output = context_.run.output;
    auto const interval = output.snapshot_steps;
    return std::min(interval ? next_multiple(step, *interval) : no_step,
                    next_listed(step, output.snapshot_listed));
  }

  void observe(simulation::Instant& now, RunStatus const& status, Occasion) override {
    auto path = context_.directory.snapshot(count_++);
    auto header = simulation::snapshot_header(context_.run, context_.deck,
                                              context_.run.time(status.step), status.step);
    background_.submit(
        now, context_.run.output.snapshot_content,
        [path = std::move(path), header = std::move(header)](
            simulation::HostColumns const& copies) { write_snapshot(path, header, copies); });
  }

  void commit() override { committed_count_ = count_; }
  void discard() override { count_ = committed_count_; }
  void truncate() override { context_.directory.cut_back_snapshots(count_); }
  void wait() override { background_.wait(); }
  bool is_busy() const override { return background_.is_busy(); }
  void record_progress(RunRecord& record) const override {
    record.snapshots = count_;
    record.committed_snapshots = committed_count_;
  }

 private:
  ObserverContext context_;
  Background background_;
  std::uint64_t count_ = 0;            ///< numbers used so far
  std::uint64_t committed_count_ = 0;  ///< count at the last commit
};

}  // namespace

std::unique_ptr<Observer> snapshots(ObserverContext const& context, ErrorPolicy& error_policy) {
  return std::make_unique<Snapshots>(context, error_policy);
}

RunOutput::RunOutput(deck::Configuration const& run, RunDirectory& run_directory,
                     std::string resolved_deck, Display display, RunRecord const* resumed)
    : directory(run_directory),
      deck(std::move(resolved_deck)),
      is_shown(display.style != ProgressStyle::none && display.out != nullptr) {
  if (resumed != nullptr) run_directory.cut_back(resumed->snapshots, resumed->table_files);
  run_directory.claim_summary();
  files::write_file(run_directory.resolved_deck(), deck);
  ObserverContext const context{run, run_directory, deck, resumed};
  add(
      "conservation", OnError::end_the_run, [&](ErrorPolicy&) { return conservation_log(context); },
      &PartSeconds::files);
  for (auto const& plan : run.diagnostics) {
    add(
        "diagnostics", OnError::end_the_run,
        [&](ErrorPolicy&) { return diagnostic_table(context, plan); }, &PartSeconds::diagnostics);
  }
  if (run.events.any()) {
    add(
        "events", OnError::end_the_run, [&](ErrorPolicy&) { return event_log(context); },
        &PartSeconds::files);
  }
  if (run.output.has_snapshots()) {
    add(
        "snapshot", OnError::warn_a_few_times,
        [&](ErrorPolicy& error_policy) { return snapshots(context, error_policy); },
        &PartSeconds::copies);
  }
  for (auto const& plan : run.output.pictures) {
    add(
        "picture", OnError::warn_a_few_times,
        [&](ErrorPolicy& error_policy) { return pictures(context, plan, error_policy); },
        &PartSeconds::files);
  }
  if (is_shown) {
    add("progress", OnError::warn, [&](ErrorPolicy&) { return progress(display); });
  }
}

bool RunOutput::is_due(RunStatus const& status, Occasion occasion) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](Entry const& entry) { return entry.observer->is_due(status, occasion); });
}

std::uint64_t RunOutput::next_step(std::uint64_t step) const {
  std::uint64_t next = no_step;
  for (auto const& entry : entries_) next = std::min(next, entry.observer->next_step(step));
  return next;
}

void RunOutput::observe(simulation::Instant& now, RunStatus const& status, Occasion occasion) {
  for (auto& entry : entries_) {
    if (entry.observer->is_due(status, occasion)) show(entry, now, status, occasion);
  }
  if (!directory.replaces()) return;
  PartTimer const timer(parts.files);
  sync();  // the old run is removed only after the first lines of the new one are on the disk
  directory.confirm_start();
}

void RunOutput::show(Entry& entry, simulation::Instant& now, RunStatus const& status,
                     Occasion occasion) {
  auto& [error_policy, observer, part] = entry;
  std::optional<PartTimer> timer;
  if (part != nullptr) timer.emplace(parts.*part);
  bool interrupted = false;
  bool const succeeded = error_policy->attempt([&, &watcher = *observer] {
    try {
      if (watcher.can_defer()) now.poll();
      watcher.observe(now, status, occasion);
    } catch (Interrupted const&) {
      interrupted = true;
    }
  });
  // Observations that only the end of this process requests are dropped.
  if (interrupted && occasion == Occasion::scheduled) observer->defer();
  if (succeeded && !interrupted && !observer->is_busy()) error_policy->reset_failures();
}

bool RunOutput::has_deferred() const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [](Entry const& entry) { return entry.observer->is_deferred(); });
}

void RunOutput::observe_deferred(simulation::Instant& now, RunStatus const& status) {
  for (auto& entry : entries_) {
    if (entry.observer->is_deferred()) show(entry, now, status, Occasion::scheduled);
  }
}

void RunOutput::sync() {
  for (auto& entry : entries_) entry.observer->sync();
  directory.sync();
}

void RunOutput::record_progress(RunRecord& record) const {
  record.deck = deck;
  record.table_files.clear();
  record.tables.clear();
  for (auto const& entry : entries_) entry.observer->record_progress(record);
}

void RunOutput::exchange(SavedState& state) {
  for (auto& entry : entries_) entry.observer->exchange(state);
}

bool RunOutput::failed_last(std::string const& name) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](Entry const& entry) {
    return entry.error_policy->name() == name && entry.error_policy->failed_last();
  });
}

void RunOutput::finish() {
  sync();
  for (auto& entry : entries_) entry.observer->close();
  if (directory.resolved_deck().kind() == files::EntryKind::absent) {
    files::write_file(directory.resolved_deck(), deck);
    warn({directory.resolved_deck().string(), "was removed during the run", "",
          "it is there again"});
  }
  directory.finish();
}

}  // namespace apsis::run
