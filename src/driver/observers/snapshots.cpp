// SPDX-License-Identifier: Apache-2.0
#include "snapshot_file.hpp"
#include <apsis/core/build_info.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/driver/observer.hpp>
#include <apsis/driver/run_record.hpp>
#include <apsis/driver/simulation.hpp>
#include <apsis/forces/fmm_options.hpp>
#include <apsis/io/snapshot.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace apsis::driver {

namespace {

/// Returns the accuracy that the solver is asked for; nothing if it does not control it.
std::optional<double> accuracy_of(deck::GravityPlan const& gravity) {
  auto const& values = gravity.values;
  if (values.has("accuracy")) return values.number("accuracy");
  auto const& parameters = gravity.solver->parameters;
  bool const is_controlled =
      std::any_of(parameters.begin(), parameters.end(),
                  [](Parameter const& parameter) { return parameter.name == "accuracy"; }) &&
      !values.has("opening_angle") && !values.has("opening_error");
  return is_controlled ? std::optional(forces::FmmOptions().accuracy) : std::nullopt;
}

io::GravityScheme scheme_of(deck::GravityPlan const& gravity) {
  io::GravityScheme scheme{gravity.solver->name, "", {}, accuracy_of(gravity)};
  for (auto const& kernel : forces::softening_kernels()) {
    if (kernel.kernel == gravity.law.softening_kernel) scheme.softening_kernel = kernel.name;
  }
  for (std::uint8_t species = 0; species < species_types::count; ++species) {
    scheme.softening[species] = gravity.law.softening_of(species);
  }
  return scheme;
}

}  // namespace

io::SnapshotHeader snapshot_header(deck::Configuration const& run, std::string const& deck,
                                   double time, std::uint64_t step) {
  io::SnapshotHeader header;
  header.time = time;
  header.step = step;
  header.time_step = run.integrator.time_step;
  header.units = run.units;
  header.title = run.title;
  header.deck = deck;
  header.precision = name_of(run.gravity.precision);
  header.backend = build_info().backend;
  header.device = device_name();
  header.gravity = scheme_of(run.gravity);
  header.compression = run.output.snapshot_content.compression;
  return header;
}

void write_snapshot(io::Place const& place, io::SnapshotHeader header, HostColumns const& copies) {
  std::visit(
      [&](auto const& columns) {
        header.count = columns.mass.size();
        io::write_snapshot(place, header, columns);
      },
      copies.columns);
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

  void observe(Instant& now, RunStatus const& status, Occasion) override {
    auto path = context_.directory.snapshot(count_++);
    auto header =
        snapshot_header(context_.run, context_.deck, context_.run.time(status.step), status.step);
    background_.submit(now, context_.run.output.snapshot_content,
                       [path = std::move(path), header = std::move(header)](
                           HostColumns const& copies) { write_snapshot(path, header, copies); });
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

}  // namespace apsis::driver
