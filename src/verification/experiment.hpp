// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/transfer.hpp>
#include <apsis/diagnostics/measurement.hpp>
#include <apsis/driver/configuration.hpp>
#include <apsis/integrators/stepper.hpp>

namespace apsis::verification {

/// A deck's bodies, solver and stepper, to be advanced and looked at step by step. In double
/// precision, whatever the deck says.
class Experiment {
 public:
  /// `overrides` as on the command line: path=value. Times of the deck's schedule are not read.
  explicit Experiment(std::string const& deck, std::vector<std::string> const& overrides = {});

  /// Advances by a number of the deck's time steps.
  void advance(std::uint64_t steps = 1);
  /// From now on in other time steps.
  void set_time_step(double time_step);
  /// From now on time runs backwards.
  void turn_back() { direction_ = -direction_; }

  double time_step() const { return run_.time_step; }
  double interactions() const { return solver_->interactions(); }

  HostBodies bodies() const { return to_host(space_, bodies_); }
  diagnostics::Measurement measure();
  /// Of the energy, against that of the start.
  double relative_energy_error();

 private:
  driver::Configuration run_;
  ExecutionSpace space_;
  Bodies<double> bodies_;
  Column<double> potential_;
  std::unique_ptr<forces::Solver<double>> solver_;
  std::unique_ptr<integrators::Stepper<double>> stepper_;
  double initial_energy_;
  double direction_ = 1.0;
};

/// The bodies of a deck, before anything moves them.
HostBodies bodies_of(std::string const& deck, std::vector<std::string> const& overrides = {});

/// The larger of two errors, whatever their sign; NaN if one of them is.
double worse(double a, double b);

/// The largest distance between the same body in both.
double largest_distance(HostBodies const& a, HostBodies const& b);

/// "path=value" for a number, which reads back exactly.
std::string override_with(std::string const& path, double value);

}  // namespace apsis::verification
