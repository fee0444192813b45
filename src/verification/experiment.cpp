// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"

#include <apsis/bodies/transfer.hpp>
#include <apsis/core/execution_space_for.hpp>
#include <apsis/core/text.hpp>
#include <apsis/driver/simulation.hpp>

#include <cmath>

namespace apsis::verification {

Experiment::Experiment(std::string const& deck, std::vector<std::string> const& overrides)
    : run_(driver::configure(deck, "verify", overrides).configuration),
      space_(execution_space_for(run_.bodies())),
      bodies_(to_device<double>(space_, driver::make_bodies(space_, run_))),
      potential_(Kokkos::view_alloc(space_, "apsis::verification::potential"), bodies_.size()),
      solver_(run_.solver->make<double>(forces::Precision::double_precision, run_.gravity,
                                        run_.solver_values)),
      stepper_(integrators::make_stepper<double>(*run_.integrator, run_.integrator_values)),
      initial_energy_(measure().total()) {
  stepper_->start(space_, bodies_, *solver_, run_.time_step);
}

void Experiment::advance(std::uint64_t steps) {
  for (std::uint64_t i = 0; i < steps; ++i) {
    stepper_->advance(space_, bodies_, *solver_, direction_ * run_.time_step);
  }
}

void Experiment::set_time_step(double time_step) {
  run_.time_step = time_step;
  stepper_->start(space_, bodies_, *solver_, time_step);
}

diagnostics::Measurement Experiment::measure() {
  solver_->evaluate(space_, forces::potentials_of(bodies_, potential_));
  return diagnostics::measure(space_, bodies_, potential_);
}

double Experiment::relative_energy_error() {
  return std::abs(measure().total() / initial_energy_ - 1.0);
}

HostBodies bodies_of(std::string const& deck, std::vector<std::string> const& overrides) {
  auto const run = driver::configure(deck, "verify", overrides).configuration;
  return driver::make_bodies(execution_space_for(run.bodies()), run);
}

double worse(double a, double b) {
  return std::isnan(a) || std::abs(a) > std::abs(b) ? std::abs(a) : std::abs(b);
}

double largest_distance(HostBodies const& a, HostBodies const& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = worse(largest, norm(a.position[i] - b.position[i]));
  }
  return largest;
}

std::string override_with(std::string const& path, double value) {
  return path + "=" + shortest(value);
}

}  // namespace apsis::verification
