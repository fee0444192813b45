// SPDX-License-Identifier: Apache-2.0
#include <apsis/integrators/hermite_block.hpp>

namespace apsis::integrators {

namespace {
using Range = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>;
}

template <class Real>
HermiteBlock<Real>::HermiteBlock(Values const& method, Values const& stepping)
    : method_(method),
      corrections_(static_cast<int>(method.integer("corrections"))),
      eta_(stepping.number("eta")) {}

template <class Real>
void HermiteBlock<Real>::start(ExecutionSpace const& space, Bodies<Real> const& bodies,
                               forces::Solver<Real>& solver, double time_step) {
  method_.start(space, bodies, solver);
  allocate_levels(space, bodies.size());
  method_.longest_first_step(space, bodies, solver, eta_, time_step);
  assign_levels(space, time_step);
}

template <class Real>
void HermiteBlock<Real>::prepare(ExecutionSpace const& space, Bodies<Real> const& bodies) {
  method_.prepare(space, bodies);
  allocate_levels(space, bodies.size());
}

template <class Real>
void HermiteBlock<Real>::allocate_levels(ExecutionSpace const& space, std::size_t count) {
  level_ = Kokkos::View<int*, MemorySpace>(
      Kokkos::view_alloc(space, "apsis::integrators::hermite_block::level"), count);
  time_ = Kokkos::View<std::uint64_t*, MemorySpace>(
      Kokkos::view_alloc(space, "apsis::integrators::hermite_block::time"), count);
  due_ =
      forces::BodyList(Kokkos::view_alloc(space, "apsis::integrators::hermite_block::due"), count);
}

template <class Real>
void HermiteBlock<Real>::do_exchange(ExecutionSpace const& space, SavedState& state) {
  state.exchange("stepper/eta", eta_);
  state.exchange("stepper/highest", highest_);
  state.exchange("stepper/deepest", deepest_);
  state.exchange(space, "stepper/level", level_);
  method_.exchange(space, state);
}

template <class Real>
void HermiteBlock<Real>::refine() {
  eta_ *= 0.5;
  ++highest_;
}

template <class Real>
void HermiteBlock<Real>::advance(ExecutionSpace const& space, Bodies<Real> const& bodies,
                                 forces::Solver<Real>& solver, double time_step) {
  Kokkos::deep_copy(space, time_, std::uint64_t{0});
  auto const& columns = method_.columns();
  double const tick = time_step / static_cast<double>(ticks);
  for (std::uint64_t now = 0; now < ticks;) {
    // Bodies of one level are always due together: the deepest level has the next time.
    now += ticks_of(deepest_);
    std::size_t const due = list_due(space, now);
    auto const listed = due == bodies.size() ? forces::BodyList() : due_;
    OwnStep<Real> const step{time_, now, tick};
    predict(space, columns, step);
    for (int n = 1; n <= corrections_; ++n) {
      solver.differentiate(space, columns.predicted, listed, due, columns.next);
      correct(space, columns, listed, due, step, n == corrections_);
    }
    deepest_ = choose_levels(space, due, now, time_step);
    expect_reachable(deepest_, time_step);
    ++this->steps_;
  }
}

template <class Real>
void HermiteBlock<Real>::assign_levels(ExecutionSpace const& space, double time_step) {
  auto const columns = method_.columns();
  auto const level = level_;
  double const eta = eta_;
  int const highest = highest_;
  deepest_ = highest;
  Kokkos::parallel_reduce(
      "apsis::integrators::hermite_block::assign_levels", Range(space, 0, level.extent(0)),
      KOKKOS_LAMBDA(std::size_t i, int& deepest) {
        int const wanted = level_of(longest_step_of(columns, i, eta), time_step);
        level(i) = wanted > highest ? wanted : highest;
        if (level(i) > deepest) deepest = level(i);
      },
      Kokkos::Max<int>(deepest_));
  if (level.extent(0) == 0) deepest_ = highest;
  expect_reachable(deepest_, time_step);
}

/// Lists the bodies that are due at tick `now`, by rising number, and returns how many there are.
template <class Real>
std::size_t HermiteBlock<Real>::list_due(ExecutionSpace const& space, std::uint64_t now) {
  std::size_t count = level_.extent(0);
  if (now == ticks) return count;
  auto const level = level_;
  auto const due = due_;
  Kokkos::parallel_scan(
      "apsis::integrators::hermite_block::list_due", Range(space, 0, count),
      KOKKOS_LAMBDA(std::size_t i, std::size_t & place, bool final) {
        if (now % ticks_of(level(i)) != 0) return;
        if (final) due(place) = i;
        ++place;
      },
      count);
  return count;
}

/// New levels of the bodies that were due, and the deepest of them. All others are higher than what
/// was due, or as high.
template <class Real>
int HermiteBlock<Real>::choose_levels(ExecutionSpace const& space, std::size_t due_count,
                                      std::uint64_t now, double time_step) {
  auto const columns = method_.columns();
  auto const level = level_;
  auto const time = time_;
  auto const listed = due_count == level.extent(0) ? forces::BodyList() : due_;
  double const eta = eta_;
  int const highest = highest_;
  int deepest = 0;
  Kokkos::parallel_reduce(
      "apsis::integrators::hermite_block::choose_levels", Range(space, 0, due_count),
      KOKKOS_LAMBDA(std::size_t row, int& most) {
        std::size_t const i = listed.extent(0) == 0 ? row : listed(row);
        int const wanted = level_of(longest_step_of(columns, i, eta), time_step);
        int const chosen = next_level(level(i), wanted > highest ? wanted : highest, now);
        level(i) = chosen;
        time(i) = now;
        if (chosen > most) most = chosen;
      },
      Kokkos::Max<int>(deepest));
  return due_count == 0 ? highest : deepest;
}

template class HermiteBlock<float>;
template class HermiteBlock<double>;

}  // namespace apsis::integrators
