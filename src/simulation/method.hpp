// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "integrators/tangent_flow.hpp"
#include <apsis/bodies/read_columns.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/core/poll.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/forces/extra.hpp>
#include <apsis/forces/request.hpp>
#include <apsis/integrators/integrator.hpp>
#include <apsis/integrators/step_watch.hpp>
#include <apsis/simulation/simulation.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace apsis::simulation {

/// Points of a run to which positions and velocities can return.
enum class Point { mark, step_start, part_start };

/// The bodies of this rank in the precision of the run, and the solver and the stepper that move
/// them. The only part of a simulation that depends on the type in which bodies are stored: one
/// implementation per type (method.cpp). If several ranks share the bodies, each rank has one, and
/// all ranks make the same calls.
class Method {
 public:
  virtual ~Method() = default;
  Method(Method const&) = delete;
  Method& operator=(Method const&) = delete;

  Context const& context() const { return context_; }
  /// The bodies of this rank, read as double. Their columns are never reallocated.
  ReadBodies const& bodies() const { return read_bodies_; }
  Column<std::uint64_t> const& ids() const { return ids_; }
  forces::Gravity const& gravity() const { return gravity_; }
  forces::Precision precision() const { return precision_; }
  /// Forces besides gravity; null if there are none.
  forces::ExtraForces* extra_forces() const { return extra_forces_.get(); }

  // Steps. Times are those of the positions, for forces that depend on time.
  virtual void set_time(double time) = 0;
  /// Prepares the first advance from `time`, see integrators::Stepper::start().
  virtual void start(double time, double time_step) = 0;
  /// Advances all bodies, see integrators::Stepper::advance().
  virtual void advance(double time, double time_step, Column<double> const* potential) = 0;
  /// Advances few bodies by up to `steps` steps, see integrators::Stepper::advance_few().
  virtual std::uint64_t advance_few(double time_step, std::uint64_t steps) = 0;
  virtual void refine() = 0;
  /// Sets the observers of the internal steps; null: none.
  virtual void observe(integrators::StepWatch* watch, integrators::TangentFlow* tangent) = 0;
  /// Sets the callback after internal steps; `within_steps`: also before each force evaluation.
  virtual void set_step_poll(Poll poll, bool within_steps) = 0;

  // Forces.
  /// Finds the sources of gravity after masses have changed, and returns the number of massive
  /// bodies of all ranks. `species`: of all bodies, on the leader rank. Collective; fences.
  virtual std::size_t find_sources(std::vector<std::uint8_t> const& species) = 0;
  /// Evaluates the potentials of the bodies of this rank: alone, or `with_forces`, which are
  /// dropped.
  virtual void evaluate_potential(Column<double> const& potential, bool with_forces) = 0;
  /// Whether potentials that come with the forces of a step are as exact as potentials alone.
  virtual bool has_potential_with_forces() const = 0;
  /// Potential energy of the forces besides gravity; 0 if there are none. Collective; fences.
  virtual double energy_of_extra_forces() const = 0;
  /// See Simulation::time_solver().
  virtual MeasuredTimes time_solver(unsigned measured) = 0;

  struct Counters {
    double interactions;
    std::uint64_t steps;  ///< internal steps
    bool falls_back;      ///< see SimulationState
  };
  virtual Counters counters() const = 0;
  /// See integrators::Stepper. Collective; fences.
  virtual std::optional<integrators::UnresolvedPassage> unresolved_passage() const = 0;
  /// Describes everything but the massless bodies and the threads.
  virtual SimulationInfo info() const = 0;

  // Bodies.
  /// Returns the bodies of all ranks on the leader rank: the given rows of them, or all. Their
  /// accelerations are those of the last evaluation, or `present_accelerations`. Collective.
  virtual std::variant<Bodies<float>, Bodies<double>> gather(forces::BodyList const* rows,
                                                             bool present_accelerations) = 0;
  /// Overwrites masses, positions and velocities. Fences.
  virtual void overwrite(HostBodies const& bodies) = 0;
  /// Saves positions and velocities. The first call for a point allocates memory.
  virtual void save(Point point, std::uint64_t step) = 0;
  virtual void restore(Point point) = 0;
  /// Step of the last save(), if any.
  std::optional<std::uint64_t> const& saved_step(Point point) const {
    return saved_steps_[static_cast<std::size_t>(point)];
  }

  // Saved state.
  virtual void exchange_bodies(SavedState& state) = 0;
  /// Exchanges the states of solver and forces, of the stepper if it has `started`, and the mark.
  virtual void exchange(SavedState& state, bool started) = 0;

 protected:
  /// `gravity` must outlive this object.
  Method(Context context, ReadBodies const& bodies, Column<std::uint64_t> ids,
         forces::Gravity const& gravity, deck::Configuration const& run);

  std::optional<std::uint64_t>& step_of(Point point) {
    return saved_steps_[static_cast<std::size_t>(point)];
  }

  Context const context_;
  std::shared_ptr<forces::ExtraForces> extra_forces_;

 private:
  ReadBodies read_bodies_;
  Column<std::uint64_t> ids_;
  forces::Gravity const& gravity_;
  forces::Precision precision_;
  std::array<std::optional<std::uint64_t>, 3> saved_steps_;
};

/// Returns some rows of a column.
template <class Value>
Column<Value> select_rows(ExecutionSpace const& space, Column<Value> const& column,
                          forces::BodyList const& rows);

/// Makes the method of a run for the share of this rank of the `total` bodies. `start`: the initial
/// bodies of all ranks, on the leader rank; null: all values are 0 until they are restored.
std::unique_ptr<Method> make_method(deck::Configuration const& run,
                                    std::shared_ptr<Communicator const> const& communicator,
                                    HostBodies const* start, std::size_t total);

}  // namespace apsis::simulation
