// SPDX-License-Identifier: Apache-2.0
#include "additions.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/integrators/integrator.hpp>

namespace {

using namespace apsis;

/// Scheme of order 4 with four evaluations of the forces (Omelyan, Mryglod & Folk 2002, Comput.
/// Phys. Commun. 146, 188, equations 20 and 22).
template <class Real>
class Pefrl final : public integrators::Integrator<Real> {
 public:
  void step(Context const& context, Bodies<Real> const& bodies, forces::Solver<Real>& solver,
            double dt, Column<double> const* /*potential*/) override {
    constexpr double xi = 0.1786178958448091, lambda = -0.2123418310626054,
                     chi = -0.06626458266981849;
    auto const drift = [&](double part) {
      add(context.space, bodies.position, bodies.velocity, part * dt);
    };
    auto const kick = [&](double part) {
      solver.evaluate(context, forces::accelerations_of(bodies));
      add(context.space, bodies.velocity, bodies.acceleration, part * dt);
    };
    drift(xi), kick(0.5 - lambda), drift(chi), kick(lambda), drift(1.0 - 2.0 * (chi + xi));
    kick(lambda), drift(chi), kick(0.5 - lambda), drift(xi);
  }

  /// Adds dt * rate to y.
  static void add(ExecutionSpace const& space, VectorColumns<Real> const& y,
                  VectorColumns<Real> const& rate, double dt) {
    auto const factor = static_cast<Real>(dt);
    for_each_body(
        space, "pefrl", y.extent(0), KOKKOS_LAMBDA(std::size_t i) {
          for (int axis = 0; axis < 3; ++axis) y(i, axis) += factor * rate(i, axis);
        });
  }
};

}  // namespace

void add_pefrl() {
  integrators::IntegratorEntry entry{};
  entry.name = "pefrl";
  entry.doc = "optimised scheme of order 4";
  entry.order = 4;
  entry.make_single = [](Values const&) { return std::make_unique<Pefrl<float>>(); };
  entry.make_double = [](Values const&) { return std::make_unique<Pefrl<double>>(); };
  entry.symplectic = entry.time_reversible = true;
  integrators::add_integrator(entry);
}
