// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/build_info.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/core/thread_binding.hpp>
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

/// Overwrites a copy, which is allocated if it is not there. Does not fence.
template <class Copy, class View>
void copy_to(Copy& copy, ExecutionSpace const& space, char const* name, View const& view) {
  if (!copy.is_allocated() || copy.extent(0) != view.extent(0)) {
    copy = Copy(Kokkos::view_alloc(Kokkos::WithoutInitializing,
                                   std::string("apsis::driver::snapshots::") + name),
                view.extent(0));
  }
  Kokkos::deep_copy(space, copy, view);
}

template <class Copy>
std::span<typename Copy::const_value_type> span_of(Copy const& copy) {
  return {copy.data(), copy.size()};
}

}  // namespace

template <class Real>
Snapshots<Real>::~Snapshots() {
  if (writing_.valid()) writing_.wait();
}

template <class Real>
void Snapshots<Real>::write(ExecutionSpace const& space, Bodies<Real> const& bodies,
                            forces::Solver<Real>& solver, Column<double> const& potential,
                            bool is_known, std::uint64_t step) {
  settle();
  copy(space, bodies, solver, potential, is_known);
  auto const path = output_.directory.snapshot(count_++);
  auto header = header_of(run_, output_.deck, bodies.size(), step);
  io::SnapshotColumns<Real> columns{span_of(position_), span_of(velocity_), span_of(mass_),
                                    span_of(id_)};
  if (run_.snapshot_content.accelerations) columns.acceleration = span_of(acceleration_);
  if (run_.snapshot_content.potentials) columns.potential = span_of(potential_);
  // The thread has the copies to itself until settle() has waited for it.
  writing_ = std::async(std::launch::async,
                        [path, header = std::move(header), columns]() -> std::optional<Problem> {
                          unbind_this_thread();
                          try {
                            io::write_snapshot<Real>(path, header, columns);
                          } catch (Error const& error) {
                            return error.problems().front();
                          }
                          return std::nullopt;
                        });
}

template <class Real>
void Snapshots<Real>::copy(ExecutionSpace const& space, Bodies<Real> const& bodies,
                           forces::Solver<Real>& solver, Column<double> const& potential,
                           bool is_known) {
  copy_to(position_, space, "position", bodies.position);
  copy_to(velocity_, space, "velocity", bodies.velocity);
  copy_to(mass_, space, "mass", bodies.mass);
  copy_to(id_, space, "id", bodies.id);
  if (run_.snapshot_content.accelerations) {
    // The integrator's own accelerations may be of other places, and it may want them back.
    auto looked_at = bodies;
    looked_at.acceleration = VectorColumns<Real>(
        Kokkos::view_alloc(space, "apsis::driver::snapshots::looked_at"), bodies.size());
    auto look = forces::accelerations_of(looked_at);
    look.counted = false;
    solver.evaluate(space, look);
    copy_to(acceleration_, space, "acceleration", looked_at.acceleration);
    space.fence("apsis::driver::snapshots: what was looked at is freed");
  }
  if (run_.snapshot_content.potentials) {
    if (!is_known) solver.evaluate(space, forces::potentials_of(bodies, potential));
    copy_to(potential_, space, "potential", potential);
  }
  space.fence("apsis::driver::snapshots: the host reads");
}

template <class Real>
void Snapshots<Real>::settle() {
  if (!writing_.valid()) return;
  auto problem = writing_.get();
  if (!problem) {
    failures_ = 0;
    return;
  }
  ++failures_;
  if (failures_ >= most_failures) {
    problem->why +=
        (problem->why.empty() ? "" : "; ") + std::to_string(failures_) + " snapshots in a row";
    throw Error(ExitStatus::input_output, *problem);
  }
  problem->problem = "snapshot failed: " + problem->problem;
  problem->advice = "the run goes on; " + problem->advice;
  output_.warn(*problem);
}

template class Snapshots<float>;
template class Snapshots<double>;

}  // namespace apsis::driver
