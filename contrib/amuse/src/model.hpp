// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "parameters.hpp"
#include "particles.hpp"
#include "stopping.hpp"
#include <apsis/simulation/field.hpp>
#include <apsis/simulation/steered_simulation.hpp>

#include <memory>
#include <vector>

namespace apsis::amuse {

/// States of AMUSE's gravitational dynamics codes. `update`: particles differ from those of the
/// simulation until recommit_particles.
enum class State { initialized, edit, run, update, evolved };

/// Model of one worker: particles, parameters, and the simulation that evolves them. Throws
/// apsis::Error for every problem, which leaves the particles and the state as they were.
class Model {
 public:
  Parameters parameters;
  StoppingConditions stopping;

  State state() const { return state_; }
  double time() const { return time_; }
  Particles const& particles() const { return particles_; }
  /// Returns the particles to change them; from then on the state is `update` if they were
  /// committed. Throws in the state `initialized`.
  Particles& edit();
  /// Sets a radius, which the simulation does not have: the state remains.
  void set_radius(std::size_t row, double radius) { particles_.set_radius(row, radius); }
  /// Whether particles were committed.
  bool is_committed() const { return state_ != State::initialized && state_ != State::edit; }

  /// Checks the parameters, starts Kokkos, and begins the state `edit`.
  void commit_parameters();
  /// Continues with changed parameters; the integrator starts anew.
  void recommit_parameters();
  void commit_particles();
  /// Continues with changed particles, if there are any; the integrator starts anew.
  void recommit_particles();
  void synchronize();

  /// Evolves to exactly this time, or until a stopping condition is met after a step. Throws also
  /// if a particle is no longer finite; the particles are then those of the last step.
  void evolve(double time);

  /// Simulation of the committed particles; null if there are none. Throws if particles have been
  /// changed since.
  simulation::SteeredSimulation* simulation();
  /// Acceleration of each row at the present time [length / time^2]. Cached.
  std::vector<Vec3<double>> const& accelerations();
  /// Field at points, each with a softening length of its own, see softening_at_point().
  simulation::FieldAtPoints field(std::vector<double> const& lengths,
                                  std::vector<Vec3<double>> const& points);

 private:
  void rebuild();
  /// Takes over time and motion from the simulation.
  void synchronize_particles();
  /// Makes steps and checks the stopping conditions after each. Returns false if a particle is not
  /// finite.
  bool step_to(double time);

  State state_ = State::initialized;
  double time_ = 0.0;
  Particles particles_;
  std::unique_ptr<simulation::SteeredSimulation> simulation_;
  std::vector<Vec3<double>> accelerations_;
};

}  // namespace apsis::amuse
