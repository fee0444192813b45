// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"
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

namespace {

template <class Real>
using Hermite4 = Hermite<Real, 4>;
template <class Real>
using Hermite6 = Hermite<Real, 6>;

HermiteOptions options_of(Values const& values) {
  return {static_cast<int>(values.integer("corrections"))};
}

Parameter corrections() {
  return integer("corrections", "times that a step is evaluated and corrected, the n of P(EC)^n")
      .at_least(1)
      .at_most(10)
      .or_else(std::int64_t{1});
}

template <class Real>
std::unique_ptr<Stepper<Real>> blocks(Values const& values, BlockSteps const& steps) {
  return make_hermite_block<Real>(options_of(values), steps);
}

}  // namespace

IntegratorEntry hermite4_entry() {
  auto made = entry<Hermite4>(
      "hermite4", "Hermite scheme of accelerations and jerks: order 4; shared or block steps", 4,
      Kept::nothing, {corrections()}, HermiteColumns<double, 4>::vectors, options_of);
  made.derivatives = 1;
  made.criterion = "aarseth";
  made.make_block_single = blocks<float>;
  made.make_block_double = blocks<double>;
  return made;
}

IntegratorEntry hermite6_entry() {
  auto made = entry<Hermite6>(
      "hermite6", "Hermite scheme of accelerations, jerks and snaps: order 6", 6, Kept::nothing,
      {corrections()}, HermiteColumns<double, 6>::vectors, options_of);
  made.derivatives = 2;
  made.criterion = "nitadori_makino";
  return made;
}

}  // namespace apsis::integrators
