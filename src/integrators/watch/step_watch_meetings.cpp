// SPDX-License-Identifier: Apache-2.0
#include "meeting_kernels.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/core/views.hpp>

#include <string>

namespace apsis::integrators {

template <class Real>
void StepWatch<Real>::rewind(ExecutionSpace const& space) {
  copy_bodies(space, in_step_, first_in_step_);
  copy_bodies(space, since_row_, first_since_row_);
  if (request_.passages) copy_bodies(space, passage_, first_passage_);
}

template <class Real>
void StepWatch<Real>::inherit(Context const& context, StepWatch& earlier) {
  earlier_ = earlier.gather_findings(context);
  marked_ = earlier.marked_;
  has_looked_ = earlier.has_looked_;
}

template <class Real>
void StepWatch<Real>::allocate_meetings(ExecutionSpace const& space, std::size_t count) {
  auto const label = [&] {
    return Kokkos::view_alloc(space, "apsis::integrators::step_watch::meetings");
  };
  meetings_ = Kokkos::View<Meeting*, MemorySpace>(label(), count);
  meeting_count_ = Kokkos::View<std::size_t, MemorySpace>(label());
}

/// A smaller buffer would let the resumed run repeat a step that this run made at once.
template <class Real>
void StepWatch<Real>::exchange_meetings(ExecutionSpace const& space, SavedState& state) {
  std::string const name = "watch/meeting_capacity";
  bool const saves = !state.restores() && request_.meetings();
  if (!saves && !state.offers(name)) return;
  std::uint64_t capacity = meetings_.extent(0);
  state.exchange(name, capacity);
  if (state.restores() && request_.meetings()) allocate_meetings(space, capacity);
}

template <class Real>
void StepWatch<Real>::reset_meeting_count(ExecutionSpace const& space) {
  if constexpr (bodies_on_host) {
    meeting_count_() = 0;
  } else {
    Kokkos::deep_copy(space, meeting_count_, std::size_t{0});
  }
}

template <class Real>
std::optional<std::vector<Meeting>> StepWatch<Real>::meetings(ExecutionSpace const& space) {
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

template <class Real>
void StepWatch<Real>::find_meetings(ExecutionSpace const& space, Paths<Real> const& targets,
                                    Sources const& sources, MovedBodies const& moved,
                                    double elapsed) {
  set_reaches(space, sources, moved);
  for_each_body(
      space, "apsis::integrators::step_watch::meetings", moved.rows.size(),
      MeetingsOfBody<Real>{pairs(targets, sources, moved, elapsed), reach_, request_.contacts,
                           request_.encounter_limit, meetings_, meeting_count_});
}

template void StepWatch<float>::rewind(ExecutionSpace const&);
template void StepWatch<float>::inherit(Context const&, StepWatch&);
template void StepWatch<float>::allocate_meetings(ExecutionSpace const&, std::size_t);
template void StepWatch<float>::reset_meeting_count(ExecutionSpace const&);
template void StepWatch<float>::exchange_meetings(ExecutionSpace const&, SavedState&);
template std::optional<std::vector<Meeting>> StepWatch<float>::meetings(ExecutionSpace const&);
template void StepWatch<float>::find_meetings(ExecutionSpace const&, Paths<float> const&,
                                              Sources const&, MovedBodies const&, double);
template void StepWatch<double>::rewind(ExecutionSpace const&);
template void StepWatch<double>::inherit(Context const&, StepWatch&);
template void StepWatch<double>::allocate_meetings(ExecutionSpace const&, std::size_t);
template void StepWatch<double>::reset_meeting_count(ExecutionSpace const&);
template void StepWatch<double>::exchange_meetings(ExecutionSpace const&, SavedState&);
template std::optional<std::vector<Meeting>> StepWatch<double>::meetings(ExecutionSpace const&);
template void StepWatch<double>::find_meetings(ExecutionSpace const&, Paths<double> const&,
                                               Sources const&, MovedBodies const&, double);

}  // namespace apsis::integrators
