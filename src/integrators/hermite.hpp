// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cancellation.hpp"
#include "few_hermite.hpp"
#include "integrators/hermite_columns.hpp"
#include <apsis/core/reductions.hpp>
#include <apsis/integrators/levels.hpp>
#include <apsis/integrators/stepper.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace apsis::integrators {

struct HermiteOptions {
  int corrections = 1;  ///< number n of evaluations and corrections per step in P(EC)^n
};

/// Hermite predictor-corrector schemes P(EC)^n with one step for all bodies: order 4 from
/// accelerations and jerks (Makino & Aarseth 1992, PASJ 44, 141), order 6 from accelerations, jerks
/// and snaps (Nitadori & Makino 2008, New Astron. 13, 498). Not symplectic; with more corrections
/// the scheme approaches a time-symmetric one. The derivatives at the end of a step are reused at
/// the start of the next one. Positions and velocities are compensated sums.
template <class Real, int order>
class Hermite final : public Integrator<Real> {
 public:
  explicit Hermite(HermiteOptions const& options = {}) : options_(options) {}

  void prepare(ExecutionSpace const& space, Bodies<Real> const& bodies) override {
    columns_ = {};
    columns_ = allocate_hermite_columns<Real, order>(space, bodies);
  }

  void start(Context const& context, Bodies<Real> const& bodies,
             forces::Solver<Real>& solver) override {
    prepare(context, bodies);
    evaluate_first<Real, order>(context, columns_, solver);
  }

  void exchange(ExecutionSpace const& space, SavedState& state) override {
    state.exchange(space, "hermite/jerk", columns_.now.jerk);
    if (order == 6) state.exchange(space, "hermite/snap", columns_.now.snap);
    for (int k = 0; k < columns_.evaluated; ++k) {
      state.exchange(space, "hermite/higher_" + std::to_string(k), columns_.higher[k]);
    }
    state.exchange(space, "hermite/position_low", columns_.position_low);
    state.exchange(space, "hermite/velocity_low", columns_.velocity_low);
    bool const saves_fields = !state.restores() && columns_.has_fields;
    if (!saves_fields && !state.offers("hermite/field_acceleration")) return;
    if (state.restores()) allocate_field_columns(space, columns_);
    state.exchange(space, "hermite/field_acceleration", columns_.field_now.acceleration);
    state.exchange(space, "hermite/field_jerk", columns_.field_now.jerk);
    if (order == 6) state.exchange(space, "hermite/field_snap", columns_.field_now.snap);
    for (int k = 0; k < columns_.evaluated; ++k) {
      state.exchange(space, "hermite/field_higher_" + std::to_string(k), columns_.field_higher[k]);
    }
  }

  void step(Context const& context, Bodies<Real> const& bodies, forces::Solver<Real>& solver,
            double dt, Column<double> const* /*potential*/) override {
    SharedStep<Real> const step{static_cast<Real>(dt)};
    auto const rows = forces::BodyRows::all(bodies.size());
    predict(context, columns_, step);
    for (int n = 1; n <= options_.corrections; ++n) {
      bool const last = n == options_.corrections;
      evaluate_predicted(context, columns_, rows, solver, last);
      correct(context, columns_, rows, step, last);
    }
  }

  std::uint64_t step_few(forces::FewBodySums<Real>& sums, Bodies<Real> const& bodies, double dt,
                         std::uint64_t steps, double largest_square) override {
    if constexpr (!bodies_on_host) return 0;
    FewHermite<Real, order> few(columns_, bodies, sums);
    std::uint64_t step_count = 0;
    while (step_count < steps) {
      few.step(static_cast<Real>(dt), options_.corrections);
      ++step_count;
      if (!few.is_finite(largest_square)) break;
    }
    few.store(columns_, bodies);
    return step_count;
  }

  double longest_step(Context const& context, Bodies<Real> const& bodies,
                      forces::Gravity const& gravity, double eta, double dt) const override {
    LongestStep<Real, order> criterion{columns_, eta, {}};
    auto const longest = [&] {
      return smallest<double>(context, "apsis::integrators::hermite::longest_step", bodies.size(),
                              criterion);
    };
    double const result = longest();
    if (!(result < std::abs(dt))) return result;
    criterion.cancellation =
        find_cancellation(context, ReadBodies(bodies), gravity, cancelled_part<Real>);
    return criterion.cancellation.is_possible() ? longest() : result;
  }

  double longest_first_step(Context const& context, Bodies<Real> const& bodies,
                            forces::Solver<Real>& solver, double eta, double max_step) override {
    auto const& space = context.space;
    auto const* const forces = solver.extra_forces();
    if (forces != nullptr && forces->has_fields()) {
      allocate_field_columns(space, columns_);
      evaluate_fields(context, solver, forces::field_of(bodies, columns_.field_now));
    }
    auto const copy_of = [&](VectorColumns<Real> const& view) {
      VectorColumns<Real> copy(Kokkos::view_alloc(space, Kokkos::WithoutInitializing,
                                                  "apsis::integrators::hermite::start_of_trial"),
                               view.extent(0));
      Kokkos::deep_copy(space, copy, view);
      return copy;
    };
    std::vector<VectorColumns<Real>> state{bodies.position,           bodies.velocity,
                                           columns_.position_low,     columns_.velocity_low,
                                           columns_.now.acceleration, columns_.now.jerk};
    if (order == 6) state.push_back(columns_.now.snap);
    if (columns_.has_fields) {
      state.push_back(columns_.field_now.acceleration);
      state.push_back(columns_.field_now.jerk);
      if (order == 6) state.push_back(columns_.field_now.snap);
    }
    std::vector<VectorColumns<Real>> copies;
    for (auto const& view : state) copies.push_back(copy_of(view));
    auto const restore = [&] {
      for (std::size_t k = 0; k < state.size(); ++k) Kokkos::deep_copy(space, state[k], copies[k]);
    };
    // The higher derivatives of the criterion come from the interpolation over a step, so trial
    // steps are needed: they are shortened until the criterion allows the step that was taken.
    for (int level = 0;;) {
      double const dt = std::ldexp(max_step, -level);
      try {
        step(context, bodies, solver, dt, nullptr);
      } catch (...) {
        restore();
        throw;
      }
      double const longest = longest_step(context, bodies, solver.gravity(), eta, dt);
      restore();
      int const allowed = level_of(longest, max_step);
      if (allowed <= level) return longest;
      if (allowed > deepest_level && level < deepest_level) {
        // The trial step has passed a close pair, and its derivatives say nothing about the start.
        constexpr int shorter = 4;
        level = std::min(level + shorter, deepest_level);
        continue;
      }
      expect_reachable(allowed, max_step, 0.0);
      level = allowed;
    }
  }

  /// Workspace of the scheme, for a stepper with individual steps.
  HermiteColumns<Real, order> const& columns() const { return columns_; }

 private:
  HermiteOptions options_;
  HermiteColumns<Real, order> columns_;
};

/// Creates the stepper of the Hermite scheme of order 4 with individual block steps.
template <class Real>
std::unique_ptr<Stepper<Real>> make_hermite_block(HermiteOptions const& method,
                                                  BlockSteps const& steps);

}  // namespace apsis::integrators
