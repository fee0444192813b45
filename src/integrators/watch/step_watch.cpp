// SPDX-License-Identifier: Apache-2.0
#include "apsis/integrators/step_watch.hpp"

#include "core/transport.hpp"
#include "step_watch_kernels.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/core/reductions.hpp>
#include <apsis/core/views.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>

namespace apsis::integrators {

namespace {

/// Level of each body.
using Levels = Kokkos::View<int*, MemorySpace>;

/// Allocates columns for paths; straight paths use two of them.
void fit_paths(ExecutionSpace const& space, PathColumns& columns, std::size_t rows,
               bool is_straight) {
  bool const fits = columns.position.extent(0) == rows;
  if (fits && (is_straight || columns.cubic.extent(0) == rows)) return;
  std::string const label = "apsis::integrators::step_watch::path";
  fit(space, columns.position, label, rows);
  fit(space, columns.velocity, label, rows);
  if (is_straight) return;
  fit(space, columns.quadratic, label, rows);
  fit(space, columns.cubic, label, rows);
}

/// Copies positions and velocities.
void copy_state(ExecutionSpace const& space, ReadBodies const& bodies,
                VectorColumns<double> const& position, VectorColumns<double> const& velocity) {
  for_each_body(
      space, "apsis::integrators::step_watch::start", bodies.size(), KOKKOS_LAMBDA(std::size_t i) {
        for (int axis = 0; axis < 3; ++axis) {
          position(i, axis) = bodies.position(i, axis);
          velocity(i, axis) = bodies.velocity(i, axis);
        }
      });
}

/// Returns the masses of the bodies.
Column<double> masses_of(ExecutionSpace const& space, ReadBodies const& bodies) {
  auto const mass =
      uninitialised<Column<double>>(space, "apsis::integrators::step_watch::mass", bodies.size());
  for_each_body(
      space, "apsis::integrators::step_watch::masses", bodies.size(),
      KOKKOS_LAMBDA(std::size_t i) { mass(i) = bodies.mass(i); });
  return mass;
}

/// Sets the paths of all bodies during a step of length h, then its start to its end.
void set_paths(ExecutionSpace const& space, ReadBodies const& bodies, double h,
               PathColumns const& columns) {
  for_each_body(
      space, "apsis::integrators::step_watch::paths", bodies.size(), KOKKOS_LAMBDA(std::size_t i) {
        for (int axis = 0; axis < 3; ++axis) {
          columns.set_hermite(i, axis, bodies.position(i, axis), bodies.velocity(i, axis), h);
        }
      });
}

/// Copies the rows of all bodies: row j of the output is row order(j) of the input.
void reorder_paths(ExecutionSpace const& space, forces::BodyList const& order, Paths const& input,
                   PathColumns const& output, bool has_levels, Levels const& level,
                   Levels const& output_level) {
  for_each_body(
      space, "apsis::integrators::step_watch::reorder", order.extent(0),
      KOKKOS_LAMBDA(std::size_t j) {
        std::size_t const i = order(j);
        for (int axis = 0; axis < 3; ++axis) {
          output.position(j, axis) = input.position(i, axis);
          output.velocity(j, axis) = input.velocity(i, axis);
          if (input.is_straight) continue;
          output.quadratic(j, axis) = input.quadratic(i, axis);
          output.cubic(j, axis) = input.cubic(i, axis);
        }
        if (has_levels) output_level(j) = level(i);
      });
}

/// Sets the largest distance that each source may have from its final position during its step,
/// in the frame of source 0.
void set_reach(ExecutionSpace const& space, Paths const& path, MovedBodies const& moved,
               std::size_t count, Column<double> const& reach) {
  for_each_body(
      space, "apsis::integrators::step_watch::reach", count, KOKKOS_LAMBDA(std::size_t j) {
        reach(j) = reach_of(path, j, Kokkos::abs(moved.step_of(j)), row(path.velocity, 0));
      });
}

}  // namespace

StepWatch::StepWatch(Context const& context, ReadBodies const& bodies,
                     forces::Gravity const& gravity, Request const& request,
                     Column<double> const& radius)
    : request_(request),
      gravity_(gravity),
      count_(bodies.size()),
      first_(bodies.first),
      total_(bodies.total),
      mass_(masses_of(context.space, bodies)),
      radius_(radius) {
  auto const& space = context.space;
  std::vector<double> masses(count_);
  Kokkos::deep_copy(space, unmanaged(masses), mass_);
  space.fence("apsis::integrators::step_watch: the host reads masses");
  std::size_t end = 0;
  for (auto const rows : gather_values(context, std::vector<std::size_t>{count_})) {
    firsts_.push_back(end);
    end += rows;
  }
  firsts_.push_back(end);
  masses = gather_values(context, std::move(masses));
  std::vector<std::size_t> order, massless;
  std::vector<double> strength, scale;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    double const m = masses[i];
    (m != 0.0 ? order : massless).push_back(i);
    if (m == 0.0) continue;
    largest_mass_ = std::max(largest_mass_, m);
    strength.push_back(gravity.G * m);
    scale.push_back(std::cbrt(strength.back()) * std::cbrt(strength.back()));
  }
  massive_ = order.size();
  bool const has_massive_first = massive_ == 0 || order.back() == massive_ - 1;
  order.insert(order.end(), massless.begin(), massless.end());
  number_ =
      has_massive_first
          ? forces::BodyRows::all(total_)
          : forces::BodyRows::listed(
                copy_to_device(space, order, "apsis::integrators::step_watch::number"), total_);
  strength_ = copy_to_device(space, strength, "apsis::integrators::step_watch::strength");
  scale_ = copy_to_device(space, scale, "apsis::integrators::step_watch::scale");
  space.fence("apsis::integrators::step_watch: what was copied is freed");
  auto const allocate = [&]<class Finding>(bool is_requested, Finding) {
    return Kokkos::View<Finding*, MemorySpace>(
        Kokkos::view_alloc(space, "apsis::integrators::step_watch::findings"),
        is_requested ? count_ : 0);
  };
  in_step_ = allocate(request_.approaches_in_step, Approach());
  since_row_ = allocate(request_.approaches_since_row, Approach());
  passage_ = allocate(request_.passages, Passage());
  if (request_.meetings()) {
    first_in_step_ = allocate(request_.approaches_in_step, Approach());
    first_since_row_ = allocate(request_.approaches_since_row, Approach());
    first_passage_ = allocate(request_.passages, Passage());
    allocate_meetings(space, 256);
  }
  clear(space);
}

double StepWatch::largest_measure(double dt) const {
  return std::abs(dt) * std::sqrt(gravity_.G * largest_mass_ * SofteningRate(gravity_)(0.0));
}

void StepWatch::begin(ExecutionSpace const& space, ReadBodies const& bodies, double time,
                      bool continues) {
  time_ = time;
  if (!request_.paths()) return;
  columns(space);
  restart_paths(space, bodies);
  if (!continues) {
    earlier_.in_step = Approach();
    if (request_.approaches_in_step) copy_bodies(space, in_step_, Approach());
  }
  if (!request_.meetings()) return;
  copy_bodies(space, first_in_step_, in_step_);
  copy_bodies(space, first_since_row_, since_row_);
  if (request_.passages) copy_bodies(space, first_passage_, passage_);
  reset_meeting_count(space);
}

PathColumns const& StepWatch::columns(ExecutionSpace const& space) {
  fit_paths(space, columns_, count_, false);
  if (columns_.start_position.extent(0) == count_) return columns_;
  for (auto* start : {&columns_.start_position, &columns_.start_velocity}) {
    *start = VectorColumns<double>(
        Kokkos::view_alloc(space, "apsis::integrators::step_watch::start"), count_);
  }
  return columns_;
}

Paths StepWatch::straight_paths(ExecutionSpace const& space, ReadBodies const& bodies) {
  Paths const paths{bodies.position.doubles(), bodies.velocity.doubles()};
  if (paths.position.extent(0) == bodies.size()) return paths;
  fit_paths(space, columns_, count_, true);
  copy_state(space, bodies, columns_.position, columns_.velocity);
  return columns_.read(true);
}

void StepWatch::observe(Context const& context, ReadBodies const& bodies, double elapsed, double dt,
                        bool equal_steps) {
  MovedBodies const moved{forces::BodyRows::all(count_), dt, equal_steps};
  if (!request_.paths()) return observe_straight(context, bodies, moved, elapsed);
  set_paths(context.space, bodies, dt, columns(context.space));
  observe_paths(context, moved, elapsed);
}

void StepWatch::restart_paths(ExecutionSpace const& space, ReadBodies const& bodies) {
  copy_state(space, bodies, columns_.start_position, columns_.start_velocity);
}

void StepWatch::observe_part(Context const& context, ReadBodies const& bodies,
                             forces::BodyRows const& rows, double elapsed, double dt, int parts) {
  has_looked_ = true;
  auto const& space = context.space;
  auto const watch = [&](Paths const& paths, double step, auto const& find) {
    MovedBodies const moved{rows, step};
    find(paths, sources(context, paths, moved), moved);
  };
  if (request_.paths()) {
    set_paths(space, bodies, dt / parts, columns(space));
    watch(columns_.read(false), dt / parts, [&](auto const&... arguments) {
      if (request_.approaches()) find_approaches(space, arguments..., elapsed);
      if (request_.meetings()) find_meetings(space, arguments..., elapsed);
    });
  }
  // The measure of a passage is that of the whole step.
  if (request_.passages) {
    watch(straight_paths(space, bodies), dt,
          [&](auto const&... arguments) { find_passages(space, arguments..., elapsed); });
  }
}

void StepWatch::observe_start(Context const& context, ReadBodies const& bodies, double dt) {
  if (!request_.passages) return;
  auto const paths = straight_paths(context.space, bodies);
  MovedBodies const moved{forces::BodyRows::all(count_), dt, true};
  find_passages(context.space, paths, sources(context, paths, moved), moved, 0.0);
}

void StepWatch::observe_straight(Context const& context, ReadBodies const& bodies,
                                 MovedBodies const& moved, double elapsed) {
  observe(context, straight_paths(context.space, bodies), moved, elapsed);
}

void StepWatch::observe_paths(Context const& context, MovedBodies const& moved, double elapsed) {
  observe(context, columns_.read(false), moved, elapsed);
}

void StepWatch::observe(Context const& context, Paths const& paths, MovedBodies const& moved,
                        double elapsed) {
  has_looked_ = true;
  auto const all_sources = sources(context, paths, moved);
  if (request_.approaches()) {
    find_approaches(context.space, paths, all_sources, moved, elapsed);
  }
  if (request_.meetings()) find_meetings(context.space, paths, all_sources, moved, elapsed);
  if (request_.passages) find_passages(context.space, paths, all_sources, moved, elapsed);
}

StepWatch::Sources StepWatch::sources(Context const& context, Paths const& targets,
                                      MovedBodies const& moved) {
  auto const& space = context.space;
  bool const straight = targets.is_straight;
  Sources result{targets, moved.level};
  auto const resize = [&](PathColumns& columns, Levels& level) {
    fit_paths(space, columns, total_, straight);
    if (moved.has_levels) fit(space, level, "apsis::integrators::step_watch::level", total_);
  };
  auto const replace = [&](PathColumns const& columns, Levels const& level) {
    result = {columns.read(straight), level};
  };
  if (is_shared(context)) {
    resize(gathered_, gathered_level_);
    std::vector<std::span<std::byte const>> send;
    std::vector<std::span<std::byte>> receive;
    auto const add = [&](auto const& local, auto const& global) {
      append_bytes(send, local, count_);
      append_bytes(receive, global, total_);
    };
    add(targets.position, gathered_.position);
    add(targets.velocity, gathered_.velocity);
    if (!straight) {
      add(targets.quadratic, gathered_.quadratic);
      add(targets.cubic, gathered_.cubic);
    }
    if (moved.has_levels) add(moved.level, gathered_level_);
    context.communicator->transport().gather(space, send, receive, firsts_);
    replace(gathered_, gathered_level_);
  }
  if (number_.is_listed()) {
    resize(ordered_, ordered_level_);
    reorder_paths(space, number_.list(), result.path, ordered_, moved.has_levels, result.level,
                  ordered_level_);
    replace(ordered_, ordered_level_);
  }
  return result;
}

WatchedPairs StepWatch::pairs(Paths const& targets, Sources const& sources,
                              MovedBodies const& moved, double elapsed) const {
  return {targets,
          sources.path,
          moved,
          mass_,
          sources.level,
          number_,
          first_,
          massive_,
          total_,
          time_ + elapsed,
          moved.step < 0.0 ? -1.0 : 1.0,
          radius_};
}

void StepWatch::set_reaches(ExecutionSpace const& space, Sources const& sources,
                            MovedBodies const& moved) {
  std::size_t const rows = moved.has_levels ? total_ : massive_;
  fit(space, reach_, "apsis::integrators::step_watch::reach", rows);
  auto moved_sources = moved;
  moved_sources.level = sources.level;
  set_reach(space, sources.path, moved_sources, rows, reach_);
}

void StepWatch::find_approaches(ExecutionSpace const& space, Paths const& targets,
                                Sources const& sources, MovedBodies const& moved, double elapsed) {
  set_reaches(space, sources, moved);
  // A table row needs the closest pair at any distance.
  double const limit = request_.approaches_since_row
                           ? std::numeric_limits<double>::infinity()
                           : request_.approach_limit * request_.approach_limit;
  for_each_body(space, "apsis::integrators::step_watch::approaches", moved.rows.size(),
                ApproachOfBody{pairs(targets, sources, moved, elapsed), reach_, limit,
                               request_.approaches_in_step, request_.approaches_since_row, in_step_,
                               since_row_});
}

void StepWatch::find_passages(ExecutionSpace const& space, Paths const& targets,
                              Sources const& sources, MovedBodies const& moved, double elapsed) {
  for_each_body(space, "apsis::integrators::step_watch::passages", moved.rows.size(),
                PassageOfBody{pairs(targets, sources, moved, elapsed), strength_, scale_,
                              SofteningRate(gravity_), earlier_.passage.measure, passage_});
}

}  // namespace apsis::integrators
