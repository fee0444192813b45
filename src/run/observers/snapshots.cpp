// SPDX-License-Identifier: Apache-2.0
#include "background.hpp"
#include "run/directory/run_record.hpp"
#include "simulation/snapshot_file.hpp"
#include <apsis/formats/snapshot.hpp>
#include <apsis/run/observer.hpp>
#include <apsis/simulation/simulation.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace apsis::run {

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

}  // namespace apsis::run
