// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/reductions.hpp>
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
void Hermite<Real, order>::start(Context const& context, Bodies<Real> const& bodies,
                                 forces::Solver<Real>& solver) {
  prepare(context, bodies);
  evaluate_first<Real, order>(context, columns_, solver);
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
void Hermite<Real, order>::step(Context const& context, Bodies<Real> const& bodies,
                                forces::Solver<Real>& solver, double dt,
                                Column<double> const& /*potential*/) {
  SharedStep<Real> const step{static_cast<Real>(dt)};
  predict(context, columns_, step);
  for (int n = 1; n <= options_.corrections; ++n) {
    solver.evaluate(context, forces::field_of(columns_.predicted, columns_.next));
    correct(context, columns_, {}, bodies.size(), step, n == options_.corrections);
  }
}

template <class Real, int order>
double Hermite<Real, order>::longest_step(Context const& context, Bodies<Real> const& bodies,
                                          double eta) const {
  auto const columns = columns_;
  return smallest<double>(
      context, "apsis::integrators::hermite::longest_step", bodies.size(),
      KOKKOS_LAMBDA(std::size_t i) { return longest_step_of(columns, i, eta); });
}

template <class Real, int order>
double Hermite<Real, order>::longest_first_step(Context const& context, Bodies<Real> const& bodies,
                                                forces::Solver<Real>& solver, double eta,
                                                double most) {
  auto const& space = context.space;
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
    step(context, bodies, solver, std::ldexp(most, -level), {});
    double const longest = longest_step(context, bodies, eta);
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
