// SPDX-License-Identifier: Apache-2.0
#include "composition.hpp"

#include "entries.hpp"
#include "kick_drift.hpp"

namespace apsis::integrators {

namespace {

struct CompositionOptions {
  Scheme const* scheme;
  bool compensated;
};

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
    std::size_t const last = scheme_.kick.size() - 1;
    bool const kicks_first = scheme_.kicks_first();
    if (!kicks_first) drift(context, bodies, scheme_.drift[0] * dt, remainders_);
    for (std::size_t stage = 0; stage <= last; ++stage) {
      bool const is_evaluated = kicks_first && stage == 0;
      bool const is_at_step_end = kicks_first && stage == last;
      if (!is_evaluated) {
        solver.evaluate(context,
                        forces::accelerations_of(bodies, is_at_step_end ? potential : nullptr));
      }
      if (is_at_step_end) {
        kick(context, bodies, scheme_.kick[stage] * dt, remainders_);
      } else {
        kick_and_drift(context, bodies, scheme_.kick[stage] * dt, scheme_.drift[stage + 1] * dt,
                       remainders_);
      }
    }
  }

  bool provides_potential() const override { return scheme_.kicks_first(); }

 private:
  Scheme const& scheme_;
  bool compensated_;
  Remainders<Real> remainders_;
};

Parameter compensated() {
  return boolean(
             "compensated",
             "whether positions and velocities are compensated (Kahan) sums: for many steps; needs "
             "memory for two vectors per body")
      .or_else(false);
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
      if (name == "leapfrog_kdk") {
        table.back().make_block_single = leapfrog_blocks<float>;
        table.back().make_block_double = leapfrog_blocks<double>;
      }
    }
  }
  return table;
}

}  // namespace apsis::integrators
