// SPDX-License-Identifier: Apache-2.0
#include "composition.hpp"

#include "entries.hpp"
#include "few_body_state.hpp"
#include "integrators/tangent_flow.hpp"
#include "kick_drift.hpp"

#include <type_traits>

namespace apsis::integrators {

namespace {

struct CompositionOptions {
  Scheme const* scheme;
  bool compensated;
};

/// Applies one step of a scheme. `operations` evaluates accelerations, kicks and drifts; its
/// argument is whether an evaluation is the one at the end of the step.
template <class Operations>
void compose(Scheme const& scheme, double dt, Operations const& operations) {
  std::size_t const last = scheme.kick.size() - 1;
  bool const kicks_first = scheme.kicks_first();
  if (!kicks_first) operations.drift(scheme.drift[0] * dt);
  for (std::size_t stage = 0; stage <= last; ++stage) {
    bool const is_evaluated = kicks_first && stage == 0;
    bool const is_at_step_end = kicks_first && stage == last;
    if (!is_evaluated) operations.evaluate(is_at_step_end);
    if (is_at_step_end) {
      operations.kick(scheme.kick[stage] * dt);
    } else {
      operations.kick_and_drift(scheme.kick[stage] * dt, scheme.drift[stage + 1] * dt);
    }
  }
}

/// Integrator that applies a composition scheme of kicks and drifts. The scheme must outlive it. A
/// scheme that begins with a kick reuses the acceleration at the end of a step for the first kick
/// of the next one.
template <class Real>
class Composition final : public Integrator<Real> {
 public:
  explicit Composition(CompositionOptions const& options)
      : scheme_(*options.scheme), compensated_(options.compensated) {}

  void prepare(ExecutionSpace const& space, Bodies<Real> const& bodies) override {
    remainders_ = {};
    if (compensated_) remainders_ = Remainders<Real>::zero(space, bodies.size());
  }

  void start(Context const& context, Bodies<Real> const& bodies,
             forces::Solver<Real>& solver) override {
    prepare(context, bodies);
    if (scheme_.kicks_first()) solver.evaluate(context, forces::accelerations_of(bodies));
  }

  void exchange(ExecutionSpace const& space, SavedState& state) override {
    remainders_.exchange(space, state);
  }

  void step(Context const& context, Bodies<Real> const& bodies, forces::Solver<Real>& solver,
            double dt, Column<double> const* potential) override {
    compose(scheme_, dt, Kernels{context, bodies, solver, potential, remainders_, this->tangent_});
    if (this->tangent_ != nullptr) this->tangent_->end_step(dt);
  }

  std::uint64_t step_few(forces::FewBodySums<Real>& sums, Bodies<Real> const& bodies, double dt,
                         std::uint64_t steps, double largest_square) override {
    if constexpr (!bodies_on_host) return 0;
    return compensated_ ? step_few_with<true>(sums, bodies, dt, steps, largest_square)
                        : step_few_with<false>(sums, bodies, dt, steps, largest_square);
  }

  bool provides_potential() const override { return scheme_.kicks_first(); }

 private:
  /// Kicks and drifts by kernels, accelerations by the solver.
  struct Kernels {
    Context const& context;
    Bodies<Real> const& bodies;
    forces::Solver<Real>& solver;
    Column<double> const* potential;  ///< of the last evaluation of a step
    Remainders<Real> const& remainders;
    TangentFlow* tangent;  ///< may be null

    void evaluate(bool is_last) const {
      solver.evaluate(context, forces::accelerations_of(bodies, is_last ? potential : nullptr));
    }
    void kick(double dt) const {
      kick_tangent(dt);
      integrators::kick(context, bodies, dt, remainders);
    }
    void drift(double dt) const {
      if (tangent != nullptr) tangent->drift(dt);
      integrators::drift(context, bodies, dt, remainders);
      solver.pass_time(dt);
    }
    void kick_and_drift(double dt_kick, double dt_drift) const {
      kick_tangent(dt_kick);
      if (tangent != nullptr) tangent->drift(dt_drift);
      integrators::kick_and_drift(context, bodies, dt_kick, dt_drift, remainders);
      solver.pass_time(dt_drift);
    }
    /// The positions must still be those of the kick.
    void kick_tangent(double dt) const {
      if (tangent == nullptr) return;
      if constexpr (std::is_same_v<Real, double>) {
        tangent->kick(context, bodies, dt);
      } else {
        APSIS_EXPECT(false, "tangent vectors are for double precision");
      }
    }
  };

  /// Operations on few bodies by the calling thread.
  template <class Few>
  struct OnOneThread {
    Few& few;

    void evaluate(bool /*is_last*/) const { few.evaluate(); }
    void kick(double dt) const { few.kick(dt); }
    void drift(double dt) const { few.drift(dt); }
    void kick_and_drift(double dt_kick, double dt_drift) const {
      few.kick(dt_kick);
      few.drift(dt_drift);
    }
  };

  template <bool compensated>
  std::uint64_t step_few_with(forces::FewBodySums<Real>& sums, Bodies<Real> const& bodies,
                              double dt, std::uint64_t steps, double largest_square) {
    using Few = FewBodies<Real, compensated>;
    Few few(sums, bodies, remainders_);
    auto const step_count =
        few.repeat(steps, largest_square, [&] { compose(scheme_, dt, OnOneThread<Few>{few}); });
    few.store_in(bodies, remainders_);
    return step_count;
  }

  Scheme const& scheme_;
  bool compensated_;
  Remainders<Real> remainders_;
};

Parameter compensated() {
  return boolean(
             "compensated",
             "whether positions and velocities are compensated (Kahan) sums: for many steps; needs "
             "memory for two vectors per body")
      .with_default(false);
}

template <class Real>
std::unique_ptr<Stepper<Real>> leapfrog_blocks(Values const& values, BlockSteps const& steps) {
  return make_leapfrog_block<Real>(IntegratorEntry::compensated(values), steps);
}

}  // namespace

/// Returns one entry for each name of each scheme.
std::vector<IntegratorEntry> composition_entries() {
  std::vector<IntegratorEntry> table;
  for (auto const& scheme : schemes()) {
    for (auto const& name : scheme.names) {
      table.push_back(entry<Composition>(
          name, scheme.doc, scheme.order, Structure::symplectic_and_reversible, {compensated()}, 0,
          [&scheme](Values const& values) {
            return CompositionOptions{&scheme, IntegratorEntry::compensated(values)};
          }));
      table.back().cite = scheme.cite;
      table.back().has_tangent_flow = true;
      table.back().extra_forces.time = true;
      if (name == "leapfrog_kdk") {
        table.back().make_block_single = leapfrog_blocks<float>;
        table.back().make_block_double = leapfrog_blocks<double>;
      }
    }
  }
  return table;
}

}  // namespace apsis::integrators
