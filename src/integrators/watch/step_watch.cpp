// SPDX-License-Identifier: Apache-2.0
#include "apsis/integrators/step_watch.hpp"

#include "core/transport.hpp"
#include "findings.hpp"
#include "step_paths.hpp"
#include "step_watch_kernels.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/core/views.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>

namespace apsis::integrators {

template <class Real>
StepWatch<Real>::StepWatch(Context const& context, Bodies<Real> const& bodies,
                           forces::Gravity const& gravity, Request const& request,
                           Column<double> const& radius)
    : request_(request),
      gravity_(gravity),
      count_(bodies.size()),
      first_(bodies.first),
      total_(bodies.total),
      mass_(bodies.mass),
      radius_(radius) {
  auto const& space = context.space;
  std::vector<Real> masses(count_);
  Kokkos::deep_copy(space, unmanaged(masses), bodies.mass);
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
    auto const m = static_cast<double>(masses[i]);
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

template <class Real>
double StepWatch<Real>::largest_measure(double dt) const {
  return std::abs(dt) * std::sqrt(gravity_.G * largest_mass_ * SofteningRate(gravity_)(0.0));
}

template <class Real>
void StepWatch<Real>::clear(ExecutionSpace const& space) {
  copy_bodies(space, in_step_, Approach());
  copy_bodies(space, since_row_, Approach());
  copy_bodies(space, passage_, Passage());
}

template <class Real>
void StepWatch<Real>::begin(ExecutionSpace const& space, Bodies<Real> const& bodies, double time,
                            bool continues) {
  time_ = time;
  if (!request_.paths()) return;
  set_start(space, bodies, start(space));
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

template <class Real>
Paths<Real> const& StepWatch<Real>::paths(ExecutionSpace const& space) {
  if (paths_.is_straight) paths_ = make_paths<Real>(space, count_, false);
  return paths_;
}

template <class Real>
StepStart<Real> const& StepWatch<Real>::start(ExecutionSpace const& space) {
  if (start_.position.extent(0) != count_) {
    start_ = {allocate_columns<Real>(space, count_, "start_position"),
              allocate_columns<Real>(space, count_, "start_velocity")};
  }
  return start_;
}

template <class Real>
void StepWatch<Real>::observe(Context const& context, Bodies<Real> const& bodies, double elapsed,
                              double dt, bool equal_steps) {
  MovedBodies const moved{forces::BodyRows::all(count_), dt, equal_steps};
  if (!request_.paths()) {
    return observe(context, {bodies.position, bodies.velocity}, moved, elapsed);
  }
  set_paths(context.space, bodies, dt, start(context.space), paths(context.space));
  observe(context, paths_, moved, elapsed);
}

template <class Real>
void StepWatch<Real>::observe_part(Context const& context, Bodies<Real> const& bodies,
                                   double elapsed, double dt, int parts) {
  has_looked_ = true;
  auto const& space = context.space;
  auto const watch = [&](Paths<Real> const& paths, double step, auto const& find) {
    MovedBodies const moved{forces::BodyRows::all(count_), step};
    find(paths, sources(context, paths, moved), moved);
  };
  if (request_.paths()) {
    set_paths(space, bodies, dt / parts, start(space), paths(space));
    watch(paths_, dt / parts, [&](auto const&... arguments) {
      if (request_.approaches()) find_approaches(space, arguments..., elapsed);
      if (request_.meetings()) find_meetings(space, arguments..., elapsed);
    });
  }
  // The measure of a passage is that of the whole step.
  if (request_.passages) {
    watch({bodies.position, bodies.velocity}, dt,
          [&](auto const&... arguments) { find_passages(space, arguments..., elapsed); });
  }
}

template <class Real>
void StepWatch<Real>::observe_start(Context const& context, Bodies<Real> const& bodies, double dt) {
  if (!request_.passages) return;
  Paths<Real> const paths{bodies.position, bodies.velocity};
  MovedBodies const moved{forces::BodyRows::all(count_), dt, true};
  find_passages(context.space, paths, sources(context, paths, moved), moved, 0.0);
}

template <class Real>
void StepWatch<Real>::observe(Context const& context, Paths<Real> const& paths,
                              MovedBodies const& moved, double elapsed) {
  has_looked_ = true;
  auto const all_sources = sources(context, paths, moved);
  if (request_.approaches()) {
    find_approaches(context.space, paths, all_sources, moved, elapsed);
  }
  if (request_.meetings()) find_meetings(context.space, paths, all_sources, moved, elapsed);
  if (request_.passages) find_passages(context.space, paths, all_sources, moved, elapsed);
}

template <class Real>
typename StepWatch<Real>::Sources StepWatch<Real>::sources(Context const& context,
                                                           Paths<Real> const& targets,
                                                           MovedBodies const& moved) {
  auto const& space = context.space;
  bool const straight = targets.is_straight;
  Sources result{targets, moved.level};
  auto const resize = [&](Paths<Real>& workspace, Levels& level) {
    bool const fits =
        workspace.position.extent(0) == total_ && (straight || !workspace.is_straight);
    if (!fits) workspace = make_paths<Real>(space, total_, straight);
    if (moved.has_levels) fit(space, level, "apsis::integrators::step_watch::level", total_);
  };
  auto const replace = [&](Paths<Real> const& path, Levels const& level) {
    result.path = path;
    result.path.is_straight = straight;
    result.level = level;
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

template <class Real>
WatchedPairs<Real> StepWatch<Real>::pairs(Paths<Real> const& targets, Sources const& sources,
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

template <class Real>
void StepWatch<Real>::set_reaches(ExecutionSpace const& space, Sources const& sources,
                                  MovedBodies const& moved) {
  std::size_t const rows = moved.has_levels ? total_ : massive_;
  fit(space, reach_, "apsis::integrators::step_watch::reach", rows);
  auto moved_sources = moved;
  moved_sources.level = sources.level;
  set_reach(space, sources.path, moved_sources, rows, reach_);
}

template <class Real>
void StepWatch<Real>::find_approaches(ExecutionSpace const& space, Paths<Real> const& targets,
                                      Sources const& sources, MovedBodies const& moved,
                                      double elapsed) {
  set_reaches(space, sources, moved);
  // A table row needs the closest pair at any distance.
  double const limit = request_.approaches_since_row
                           ? std::numeric_limits<double>::infinity()
                           : request_.approach_limit * request_.approach_limit;
  for_each_body(space, "apsis::integrators::step_watch::approaches", moved.rows.size(),
                ApproachOfBody<Real>{pairs(targets, sources, moved, elapsed), reach_, limit,
                                     request_.approaches_in_step, request_.approaches_since_row,
                                     in_step_, since_row_});
}

template <class Real>
void StepWatch<Real>::find_passages(ExecutionSpace const& space, Paths<Real> const& targets,
                                    Sources const& sources, MovedBodies const& moved,
                                    double elapsed) {
  for_each_body(space, "apsis::integrators::step_watch::passages", moved.rows.size(),
                PassageOfBody<Real>{pairs(targets, sources, moved, elapsed), strength_, scale_,
                                    SofteningRate(gravity_), earlier_.passage.measure, passage_});
}

template <class Real>
std::optional<Approach> StepWatch<Real>::approach_in_step(Context const& context) const {
  auto finding = best_finding(context, in_step_, in_step_.extent(0));
  return if_known(request_.approaches_in_step, finding += earlier_.in_step);
}

template <class Real>
std::optional<Approach> StepWatch<Real>::approach_since_row(Context const& context) const {
  auto finding = best_finding(context, since_row_, since_row_.extent(0));
  return if_known(request_.approaches_since_row, finding += earlier_.since_row);
}

template <class Real>
std::optional<Passage> StepWatch<Real>::coarsest_passage(Context const& context) {
  earlier_.passage += best_finding(context, passage_, passage_.extent(0));
  return if_known(request_.passages, earlier_.passage);
}

template <class Real>
typename StepWatch<Real>::Findings StepWatch<Real>::gather_findings(Context const& context) {
  return {approach_in_step(context).value_or(Approach()),
          approach_since_row(context).value_or(Approach()),
          coarsest_passage(context).value_or(Passage())};
}

template <class Real>
void StepWatch<Real>::reset_row(ExecutionSpace const& space, bool also_marked) {
  earlier_.since_row = Approach();
  if (also_marked) marked_.since_row = Approach();
  copy_bodies(space, since_row_, Approach());
}

template <class Real>
void StepWatch<Real>::mark(Context const& context) {
  marked_ = gather_findings(context);
}

template <class Real>
void StepWatch<Real>::roll_back(ExecutionSpace const& space) {
  clear(space);
  earlier_ = marked_;
}

template <class Real>
void StepWatch<Real>::exchange(Context const& context, SavedState& state) {
  auto findings = state.restores() ? Findings() : gather_findings(context);
  state.exchange("watch/has_looked", has_looked_);
  for (auto* each : {&findings, &marked_}) {
    std::string const name = each == &findings ? "watch" : "watch/mark";
    exchange_finding(state, name + "/in_step", each->in_step);
    exchange_finding(state, name + "/since_row", each->since_row);
    exchange_finding(state, name + "/passage", each->passage);
  }
  if (state.restores()) earlier_ = findings;
  exchange_meetings(context.space, state);
}

template class StepWatch<float>;
template class StepWatch<double>;

}  // namespace apsis::integrators
