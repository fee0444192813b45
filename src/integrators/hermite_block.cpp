// SPDX-License-Identifier: Apache-2.0
#include "hermite.hpp"

#include <algorithm>

namespace apsis::integrators {

namespace {

/// The Hermite scheme of order 4 with individual time steps in blocks of powers of two (Makino
/// 1991, PASJ 43, 859): at each time only those bodies that are due are evaluated and corrected, in
/// the field of all bodies predicted to that time. Every body is due at synchronised times.
template <class Real>
class HermiteBlock final : public Stepper<Real> {
 public:
  HermiteBlock(HermiteOptions const& method, BlockSteps const& steps)
      : method_(method), options_(method), eta_(steps.eta) {}

  void start(Context const& context, Bodies<Real> const& bodies, forces::Solver<Real>& solver,
             double time_step) override {
    method_.start(context, bodies, solver);
    allocate_levels(context, bodies.size());
    method_.longest_first_step(context, bodies, solver, eta_, time_step);
    assign_levels(context, time_step);
  }

  void advance(Context const& context, Bodies<Real> const& bodies, forces::Solver<Real>& solver,
               double time_step, Column<double> const& /*potential*/) override {
    auto const& space = context.space;
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
      auto const request = forces::field_at(columns.predicted, listed, due, columns.next);
      for (int n = 1; n <= options_.corrections; ++n) {
        solver.evaluate(context, request);
        correct(space, columns, listed, due, step, n == options_.corrections);
      }
      deepest_ = choose_levels(context, due, now, time_step);
      expect_reachable(deepest_, time_step);
      ++this->steps_;
    }
  }

  void refine() override {
    eta_ *= 0.5;
    ++highest_;
  }

  // What device lambdas are made in must be public.
  void assign_levels(Context const& context, double time_step);
  std::size_t list_due(ExecutionSpace const& space, std::uint64_t now);
  int choose_levels(Context const& context, std::size_t due, std::uint64_t now, double time_step);

 private:
  void prepare(ExecutionSpace const& space, Bodies<Real> const& bodies) override {
    method_.prepare(space, bodies);
    allocate_levels(space, bodies.size());
  }

  void do_exchange(ExecutionSpace const& space, SavedState& state) override {
    state.exchange("stepper/eta", eta_);
    state.exchange("stepper/highest", highest_);
    state.exchange("stepper/deepest", deepest_);
    state.exchange(space, "stepper/level", level_);
    method_.exchange(space, state);
  }

  void allocate_levels(ExecutionSpace const& space, std::size_t count) {
    level_ = Kokkos::View<int*, MemorySpace>(
        Kokkos::view_alloc(space, "apsis::integrators::hermite_block::level"), count);
    time_ = Kokkos::View<std::uint64_t*, MemorySpace>(
        Kokkos::view_alloc(space, "apsis::integrators::hermite_block::time"), count);
    due_ = forces::BodyList(Kokkos::view_alloc(space, "apsis::integrators::hermite_block::due"),
                            count);
  }

  Hermite<Real, 4> method_;  ///< owns the columns, takes the trial step
  HermiteOptions options_;
  double eta_;
  int highest_ = 0;                                 ///< no level above this
  int deepest_ = 0;                                 ///< of any body
  Kokkos::View<int*, MemorySpace> level_;           ///< of each body
  Kokkos::View<std::uint64_t*, MemorySpace> time_;  ///< of each body [ticks], in an advance
  forces::BodyList due_;
};

template <class Real>
void HermiteBlock<Real>::assign_levels(Context const& context, double time_step) {
  auto const columns = method_.columns();
  auto const level = level_;
  double const eta = eta_;
  int const highest = highest_;
  int const deepest = largest<int>(
      context, "apsis::integrators::hermite_block::assign_levels", level.extent(0),
      KOKKOS_LAMBDA(std::size_t i) {
        int const wanted = level_of(longest_step_of(columns, i, eta), time_step);
        return level(i) = wanted > highest ? wanted : highest;
      });
  deepest_ = std::max(deepest, highest);  // there may be no bodies
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
      "apsis::integrators::hermite_block::list_due",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0, count),
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
int HermiteBlock<Real>::choose_levels(Context const& context, std::size_t due_count,
                                      std::uint64_t now, double time_step) {
  auto const columns = method_.columns();
  auto const level = level_;
  auto const time = time_;
  auto const listed = due_count == level.extent(0) ? forces::BodyList() : due_;
  double const eta = eta_;
  int const highest = highest_;
  int const deepest = largest<int>(
      context, "apsis::integrators::hermite_block::choose_levels", due_count,
      KOKKOS_LAMBDA(std::size_t row) {
        std::size_t const i = listed.extent(0) == 0 ? row : listed(row);
        int const wanted = level_of(longest_step_of(columns, i, eta), time_step);
        int const chosen = next_level(level(i), wanted > highest ? wanted : highest, now);
        level(i) = chosen;
        time(i) = now;
        return chosen;
      });
  return std::max(deepest, highest);  // none may have been due
}

}  // namespace

template <class Real>
std::unique_ptr<Stepper<Real>> make_hermite_block(HermiteOptions const& method,
                                                  BlockSteps const& steps) {
  return std::make_unique<HermiteBlock<Real>>(method, steps);
}

template std::unique_ptr<Stepper<float>> make_hermite_block(HermiteOptions const&,
                                                            BlockSteps const&);
template std::unique_ptr<Stepper<double>> make_hermite_block(HermiteOptions const&,
                                                             BlockSteps const&);

}  // namespace apsis::integrators
