// SPDX-License-Identifier: Apache-2.0
#include <apsis/integrators/hermite.hpp>
#include <apsis/integrators/levels.hpp>

#include <cmath>
#include <vector>

namespace apsis::integrators {

template <class Real, int order>
void Hermite<Real, order>::prepare(ExecutionSpace const& space, Bodies<Real> const& bodies) {
  columns_ = {};
  columns_ = allocate_hermite_columns<Real, order>(space, bodies);
}

template <class Real, int order>
void Hermite<Real, order>::start(ExecutionSpace const& space, Bodies<Real> const& bodies,
                                 forces::Solver<Real>& solver) {
  prepare(space, bodies);
  evaluate_first<Real, order>(space, columns_, solver);
}

template <class Real, int order>
void Hermite<Real, order>::exchange(ExecutionSpace const& space, SavedState& state) {
  state.exchange(space, "hermite/jerk", columns_.now.jerk);
  if (order == 6) state.exchange(space, "hermite/snap", columns_.now.snap);
  for (int k = 0; k < columns_.evaluated; ++k) {
    state.exchange(space, "hermite/higher_" + std::to_string(k), columns_.higher[k]);
  }
}

template <class Real, int order>
void Hermite<Real, order>::step(ExecutionSpace const& space, Bodies<Real> const& bodies,
                                forces::Solver<Real>& solver, double dt) {
  SharedStep<Real> const step{static_cast<Real>(dt)};
  predict(space, columns_, step);
  for (int n = 1; n <= corrections_; ++n) {
    solver.differentiate(space, columns_.predicted, {}, bodies.size(), columns_.next);
    correct(space, columns_, {}, bodies.size(), step, n == corrections_);
  }
}

template <class Real, int order>
double Hermite<Real, order>::longest_step(ExecutionSpace const& space, Bodies<Real> const& bodies,
                                          double eta) const {
  auto const columns = columns_;
  double shortest = 0.0;
  Kokkos::parallel_reduce(
      "apsis::integrators::hermite::longest_step",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0, bodies.size()),
      KOKKOS_LAMBDA(std::size_t i, double& least) {
        double const own = longest_step_of(columns, i, eta);
        if (own < least) least = own;
      },
      Kokkos::Min<double>(shortest));
  return shortest;
}

template <class Real, int order>
double Hermite<Real, order>::longest_first_step(ExecutionSpace const& space,
                                                Bodies<Real> const& bodies,
                                                forces::Solver<Real>& solver, double eta,
                                                double most) {
  auto const copy_of = [&](VectorColumns<Real> const& view) {
    VectorColumns<Real> copy(Kokkos::view_alloc(space, Kokkos::WithoutInitializing,
                                                "apsis::integrators::hermite::start_of_trial"),
                             view.extent(0));
    Kokkos::deep_copy(space, copy, view);
    return copy;
  };
  std::vector<VectorColumns<Real>> kept{bodies.position, bodies.velocity, columns_.now.acceleration,
                                        columns_.now.jerk};
  if (order == 6) kept.push_back(columns_.now.snap);
  std::vector<VectorColumns<Real>> copies;
  for (auto const& view : kept) copies.push_back(copy_of(view));
  // Steps are tried until one is no longer than the interpolation over it allows.
  for (int level = 0;;) {
    step(space, bodies, solver, std::ldexp(most, -level));
    double const longest = longest_step(space, bodies, eta);
    for (std::size_t k = 0; k < kept.size(); ++k) Kokkos::deep_copy(space, kept[k], copies[k]);
    int const allowed = level_of(longest, most);
    if (allowed <= level) return longest;
    expect_reachable(allowed, most);
    level = allowed;
  }
}

template class Hermite<float, 4>;
template class Hermite<double, 4>;
template class Hermite<float, 6>;
template class Hermite<double, 6>;

}  // namespace apsis::integrators
