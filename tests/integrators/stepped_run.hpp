// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnostics/measurement.hpp"
#include "support/integrators.hpp"
#include <apsis/bodies/transfer.hpp>
#include <apsis/forces/solver.hpp>
#include <apsis/integrators/stepper.hpp>

#include <cmath>
#include <memory>
#include <string>
#include <utility>

namespace apsis::testing {

inline Values stepping(std::string const& mode, double eta,
                       std::string const& criterion = "aarseth") {
  Values values;
  values.set("mode", mode);
  values.set("eta", eta);
  values.set("criterion", criterion);
  values.set("epsilon", 1e-9);
  values.set("judged", std::string("massive"));
  return values;
}

/// Bodies, a force solver and the stepper that advances the bodies.
template <class Solver>
struct SteppedRun {
  ExecutionSpace space;
  Solver solver;
  Bodies<double> bodies;
  Column<double> potential;
  std::unique_ptr<integrators::Stepper<double>> stepper;
  double start_energy;

  template <class... Options>
  SteppedRun(std::string const& name, Values const& stepping_values, HostBodies const& host,
             double softening, double time_step, bool compensated = false,
             Options const&... options)
      : solver({1.0, softening}, options...),
        bodies(to_device<double>(space, host)),
        potential("apsis::testing::potential", host.size()) {
    Values values;
    values.set("corrections", std::int64_t{1});
    values.set("damping", 1.0);
    values.set("compensated", compensated);
    values.set("stepping", std::make_shared<Values const>(stepping_values));
    stepper = integrators::make_stepper<double>(integrator(name), values);
    start_energy = energy();
    stepper->start(space, bodies, solver, time_step);
  }

  double energy() {
    solver.evaluate(space, forces::potentials_of(bodies, potential));
    return diagnostics::measure(space, bodies, potential).total();
  }
  double energy_error() { return std::abs(energy() / start_energy - 1.0); }
  void advance(int times, double time_step) {
    for (int i = 0; i < times; ++i) stepper->advance(space, bodies, solver, time_step);
  }
  HostBodies host() const { return to_host(space, bodies); }
};

inline bool same_bits(HostBodies const& a, HostBodies const& b) {
  return a.position == b.position && a.velocity == b.velocity;
}

}  // namespace apsis::testing
