// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"
#include <apsis/integrators/composition.hpp>
#include <apsis/integrators/kick_drift.hpp>

namespace apsis::integrators {

namespace {

/// Applies a scheme, which must outlive it.
template <class Real>
class Composition final : public Integrator<Real> {
 public:
  explicit Composition(Scheme const& scheme) : scheme_(scheme) {}

  void step(Context const& context, Bodies<Real> const& bodies, forces::Solver<Real>& solver,
            double dt, Column<double> const& /*potential*/) override {
    drift(context, bodies, scheme_.drift[0] * dt);
    for (std::size_t stage = 0; stage < scheme_.kick.size(); ++stage) {
      solver.evaluate(context, forces::accelerations_of(bodies));
      kick_and_drift(context, bodies, scheme_.kick[stage] * dt, scheme_.drift[stage + 1] * dt);
    }
  }

 private:
  Scheme const& scheme_;
};

}  // namespace

/// One entry for each of a scheme's names.
std::vector<IntegratorEntry> composition_entries() {
  std::vector<IntegratorEntry> all;
  for (auto const& scheme : schemes()) {
    for (auto const& name : scheme.names) {
      all.push_back(entry<Composition>(
          name, scheme.doc, scheme.order, Kept::symplectic_form_and_time_reversal, {}, 0,
          [&scheme](Values const&) -> Scheme const& { return scheme; }));
    }
  }
  return all;
}

}  // namespace apsis::integrators
