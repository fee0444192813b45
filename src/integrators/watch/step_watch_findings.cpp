// SPDX-License-Identifier: Apache-2.0
#include "meeting_kernels.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/core/reductions.hpp>
#include <apsis/core/views.hpp>

#include <string>

namespace apsis::integrators {

namespace {

/// Functor that returns the finding of a row.
template <class Finding>
struct FindingOfRow {
  Kokkos::View<Finding*, MemorySpace> rows;
  KOKKOS_FUNCTION Finding operator()(std::size_t i) const { return rows(i); }
};

/// Returns the best finding of all rows of all ranks; independent of the number of ranks.
template <class Finding>
Finding best_finding(Context const& context, Kokkos::View<Finding*, MemorySpace> const& rows,
                     std::size_t count) {
  return fixed_order_sum<Finding>(context, "apsis::integrators::step_watch::findings", count,
                                  FindingOfRow<Finding>{rows});
}

/// Calls visit(name, number) for each number of a finding.
template <class Visit>
void for_each_number(Approach& finding, Visit const& visit) {
  visit("squared", finding.squared);
  visit("time", finding.time);
  visit("first", finding.first);
  visit("second", finding.second);
}
template <class Visit>
void for_each_number(Passage& finding, Visit const& visit) {
  visit("measure", finding.measure);
  visit("distance", finding.distance);
  visit("time", finding.time);
  visit("body", finding.body);
  visit("massive", finding.massive);
}

/// Saves or restores a finding.
template <class Finding>
void exchange_finding(SavedState& state, std::string const& name, Finding& finding) {
  bool known = finding.is_known();
  state.exchange(name + "/is_known", known);
  if (!known) return;
  for_each_number(finding, [&](char const* number_name, auto& number) {
    state.exchange(name + "/" + number_name, number);
  });
}

/// Returns the finding, or nothing if it was not requested or nothing was found.
template <class Finding>
std::optional<Finding> if_known(bool is_requested, Finding const& finding) {
  return is_requested && finding.is_known() ? std::optional(finding) : std::nullopt;
}

}  // namespace

void StepWatch::clear(ExecutionSpace const& space) {
  copy_bodies(space, in_step_, Approach());
  copy_bodies(space, since_row_, Approach());
  copy_bodies(space, passage_, Passage());
}

std::optional<Approach> StepWatch::approach_in_step(Context const& context) const {
  auto finding = best_finding(context, in_step_, in_step_.extent(0));
  return if_known(request_.approaches_in_step, finding += earlier_.in_step);
}

std::optional<Approach> StepWatch::approach_since_row(Context const& context) const {
  auto finding = best_finding(context, since_row_, since_row_.extent(0));
  return if_known(request_.approaches_since_row, finding += earlier_.since_row);
}

std::optional<Passage> StepWatch::coarsest_passage(Context const& context) {
  earlier_.passage += best_finding(context, passage_, passage_.extent(0));
  return if_known(request_.passages, earlier_.passage);
}

StepWatch::Findings StepWatch::gather_findings(Context const& context) {
  return {approach_in_step(context).value_or(Approach()),
          approach_since_row(context).value_or(Approach()),
          coarsest_passage(context).value_or(Passage())};
}

void StepWatch::reset_row(ExecutionSpace const& space, bool also_marked) {
  earlier_.since_row = Approach();
  if (also_marked) marked_.since_row = Approach();
  copy_bodies(space, since_row_, Approach());
}

void StepWatch::mark(Context const& context) {
  marked_ = gather_findings(context);
}

void StepWatch::roll_back(ExecutionSpace const& space) {
  clear(space);
  earlier_ = marked_;
}

void StepWatch::exchange(Context const& context, SavedState& state) {
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

void StepWatch::rewind(ExecutionSpace const& space) {
  copy_bodies(space, in_step_, first_in_step_);
  copy_bodies(space, since_row_, first_since_row_);
  if (request_.passages) copy_bodies(space, passage_, first_passage_);
}

void StepWatch::inherit(Context const& context, StepWatch& earlier) {
  earlier_ = earlier.gather_findings(context);
  marked_ = earlier.marked_;
  has_looked_ = earlier.has_looked_;
}

void StepWatch::allocate_meetings(ExecutionSpace const& space, std::size_t count) {
  auto const label = [&] {
    return Kokkos::view_alloc(space, "apsis::integrators::step_watch::meetings");
  };
  meetings_ = Kokkos::View<Meeting*, MemorySpace>(label(), count);
  meeting_count_ = Kokkos::View<std::size_t, MemorySpace>(label());
}

/// A smaller buffer would let the resumed run repeat a step that this run made at once.
void StepWatch::exchange_meetings(ExecutionSpace const& space, SavedState& state) {
  std::string const name = "watch/meeting_capacity";
  bool const saves = !state.restores() && request_.meetings();
  if (!saves && !state.offers(name)) return;
  std::uint64_t capacity = meetings_.extent(0);
  state.exchange(name, capacity);
  if (state.restores() && request_.meetings()) allocate_meetings(space, capacity);
}

void StepWatch::reset_meeting_count(ExecutionSpace const& space) {
  if constexpr (bodies_on_host) {
    meeting_count_() = 0;
  } else {
    Kokkos::deep_copy(space, meeting_count_, std::size_t{0});
  }
}

std::optional<std::vector<Meeting>> StepWatch::meetings(ExecutionSpace const& space) {
  if (!request_.meetings()) return std::vector<Meeting>();
  std::size_t count = 0;
  if constexpr (bodies_on_host) {
    count = meeting_count_();
  } else {
    Kokkos::deep_copy(space, count, meeting_count_);
    space.fence("apsis::integrators::step_watch: the host reads the number of meetings");
  }
  if (count > meetings_.extent(0)) {
    allocate_meetings(space, 2 * count);
    return std::nullopt;
  }
  std::vector<Meeting> result(count);
  if (count == 0) return result;
  Kokkos::deep_copy(space, unmanaged(result),
                    Kokkos::subview(meetings_, Kokkos::pair<std::size_t, std::size_t>(0, count)));
  space.fence("apsis::integrators::step_watch: the host reads the meetings");
  return result;
}

void StepWatch::find_meetings(ExecutionSpace const& space, Paths const& targets,
                              Sources const& sources, MovedBodies const& moved, double elapsed) {
  set_reaches(space, sources, moved);
  for_each_body(space, "apsis::integrators::step_watch::meetings", moved.rows.size(),
                MeetingsOfBody{pairs(targets, sources, moved, elapsed), reach_, request_.contacts,
                               request_.encounter_limit, meetings_, meeting_count_});
}

}  // namespace apsis::integrators
