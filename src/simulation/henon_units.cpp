// SPDX-License-Identifier: Apache-2.0
#include "henon_units.hpp"

#include "diagnostics/measurement.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>
#include <apsis/forces/solver.hpp>
#include <apsis/initial_conditions/model.hpp>

#include <cmath>

namespace apsis::simulation {

namespace {
diagnostics::Measurement measure(ExecutionSpace const& space, HostBodies const& bodies,
                                 forces::Solver<double>& solver) {
  auto const on_device = to_device<double>(space, bodies);
  Column<double> potential(Kokkos::view_alloc(space, "apsis::simulation::henon_units"),
                           bodies.size());
  solver.evaluate(space, forces::potentials_of(on_device, potential));
  return diagnostics::measure(space, on_device, potential);
}
}  // namespace

void scale_to_henon_units(ExecutionSpace const& space, HostBodies& bodies,
                          forces::Solver<double>& solver, std::optional<double> virial_ratio) {
  double mass = 0.0;
  std::size_t massive = 0;
  for (double const m : bodies.mass) {
    mass += m;
    massive += m > 0.0 ? 1 : 0;
  }
  APSIS_VALIDATE(massive > 1, {"bodies.henon_units", "cannot be reached",
                               massive == 0 ? "no body has a mass" : "only one body has a mass",
                               "set bodies.henon_units to false, or give bodies masses"});
  APSIS_VALIDATE(std::isfinite(mass),
                 {"bodies.henon_units", "cannot be reached", "the sum of the masses is not finite",
                  "choose other units"});
  for (double& m : bodies.mass) m /= mass;
  initial_conditions::bring_to_rest(bodies);

  auto now = measure(space, bodies, solver);
  // Bodies at rest stay at rest. The masses were divided by their sum M, which divides K by M and
  // |W| by M^2.
  double const present_ratio = -now.kinetic / now.potential / mass;
  double const ratio = now.kinetic == 0.0 ? 0.0 : virial_ratio.value_or(present_ratio);
  APSIS_VALIDATE(ratio < 1.0, {"bodies.henon_units", "cannot be reached",
                               "these bodies are not bound: K / |W| is " + shortest(ratio),
                               "set bodies.henon_units to false"});
  // E = W + K = -1/4 with K = ratio |W|.
  double const potential = -0.25 / (1.0 - ratio);
  double const kinetic = -ratio * potential;
  for (int iteration = 0; std::abs(now.potential / potential - 1.0) > 4e-16; ++iteration) {
    bool const is_bound = std::isfinite(now.potential) && now.potential < 0.0;
    APSIS_VALIDATE(is_bound && iteration < 100,
                   {"bodies.henon_units", "cannot be reached",
                    "no scale gives these bodies E = -1/4 with this softening",
                    "use less softening or set bodies.henon_units to false"});
    // Without softening one iteration is exact. With softening each iteration multiplies the error
    // by about (eps / radius)^2. At last only rounding errors change, so the number of iterations
    // is limited.
    double const deviation = std::abs(now.potential / potential - 1.0);
    if (iteration > 8 && deviation < 1e-14) break;
    // An approximate solver has another error in each iteration, below which W cannot converge.
    if (deviation < 1e-6 * solver.accuracy()) break;
    double const factor = now.potential / potential;
    for (auto& x : bodies.position) x = factor * x;
    now = measure(space, bodies, solver);
  }
  if (kinetic == 0.0) return;
  double const factor = std::sqrt(kinetic / now.kinetic);
  for (auto& v : bodies.velocity) v = factor * v;
}

void scale_to_virial_ratio(ExecutionSpace const& space, HostBodies& bodies,
                           forces::Solver<double>& solver, double virial_ratio,
                           std::string const& where) {
  check_motion(bodies, where);
  auto const now = measure(space, bodies, solver);
  double const factor = std::sqrt(virial_ratio / now.virial_ratio());
  APSIS_VALIDATE(
      now.potential < 0.0 && std::isfinite(factor) && factor > 0.0,
      {where, "cannot be reached",
       now.potential == 0.0 ? "the potential energy is 0: fewer than two bodies have a mass"
                            : "the kinetic energy is " + shortest(now.internal_kinetic) +
                                  " and the potential energy " + shortest(now.potential),
       "leave virial_ratio out, or choose other bodies, units or softening"});
  auto const centre = centre_of_mass(bodies).velocity;
  for (auto& v : bodies.velocity) v = centre + factor * (v - centre);
}

void check_motion(HostBodies const& bodies, std::string const& where) {
  std::optional<Vec3<double>> first;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!(bodies.mass[i] > 0.0)) continue;
    if (!first) first = bodies.velocity[i];
    if (!(bodies.velocity[i] == *first)) return;
  }
  throw Error(ExitStatus::bad_input,
              Problem{where, "cannot be reached",
                      first ? "the kinetic energy about the centre of mass is 0: all bodies have "
                              "one velocity"
                            : "no body has a mass",
                      "leave virial_ratio out, or give the bodies velocities"});
}

}  // namespace apsis::simulation
