// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/poll.hpp>
#include <apsis/forces/gravity.hpp>
#include <apsis/integrators/megno.hpp>
#include <apsis/simulation/events.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace apsis {
class SavedState;
}
namespace apsis::diagnostics {
struct Measurement;
}
namespace apsis::deck {
struct Configuration;
}

namespace apsis::simulation {

struct WholeBodies;

/// Closest approach of two bodies. `first` < `second` are indices of the bodies.
struct ClosestApproach {
  double distance;  ///< [length]
  double time;      ///< [time]
  std::uint64_t first, second;
};

/// Present time and counters of a simulation. Reading them costs nothing: no rank or device is
/// asked.
struct SimulationState {
  std::uint64_t step;   ///< steps of the deck since the start
  double time;          ///< [time]
  double time_step;     ///< negative if time runs backwards [time]
  std::size_t count;    ///< bodies at the start of the run
  double G;             ///< [length^3 / (mass time^2)]
  double interactions;  ///< evaluated so far; a force evaluation of all bodies counts N^2 of them
  /// Steps of the integrator so far; a block step of some of the bodies counts as one.
  std::uint64_t integrator_steps;
  /// Whether the solver sums all pairs because its own method cannot handle these bodies.
  bool falls_back;
  std::size_t gone = 0;  ///< bodies that were merged or removed since the start of the run
};

/// Interval in which the closest approach is sought: the last step of the deck, or all steps since
/// the last query with `row`, that is since the last row of a table.
enum class Since { step, row };

/// The bodies at a synchronised time, as observers query them, independent of precision and memory
/// space. Results are cached, so a quantity that several observers need is computed once. Fences
/// where needed. Further quantities are functions of an instant, see measurements.hpp.
class Instant {
 public:
  virtual ~Instant() = default;

  virtual SimulationState state() const = 0;
  std::uint64_t step() const { return state().step; }
  double time() const { return state().time; }
  double G() const { return state().G; }
  std::size_t count() const { return state().count; }
  double interactions() const { return state().interactions; }

  /// Returns all bodies in the memory space and the precision in which they are stored, with the
  /// accelerations of the last force evaluation; with `potentials` also the potential of each body.
  virtual WholeBodies& whole(bool potentials = false) = 0;
  /// Returns all bodies with accelerations at their present positions. Evaluates forces, which are
  /// not counted as interactions.
  virtual WholeBodies with_accelerations() = 0;
  HostBodies const& bodies();
  /// Potential of each body in double precision, as computed by the solver [length^2 / time^2].
  std::vector<double> const& potential();

  virtual diagnostics::Measurement const& measure() = 0;
  /// Closest approach of two bodies that are not both massless.
  /// Since::step: with encounter_distance the closest one within the integrator steps since the
  /// last step of the deck, or nothing if no pair came closer than that distance. Otherwise that at
  /// the present time.
  /// Since::row: nothing unless the run has a table of pair distances.
  virtual std::optional<ClosestApproach> closest_approach(Since since = Since::step) = 0;
  /// Indicators of chaos since the start, if the run has a diagnostic that needs them.
  virtual std::optional<integrators::Megno> megno() const { return std::nullopt; }

  /// Sets the callback of long measurements: neighbours, distances and sampled errors. A
  /// measurement that it interrupts throws Interrupted and can be repeated.
  void set_poll(Poll poll) { poll_ = std::move(poll); }
  Poll const& poll_callback() const { return poll_; }
  /// Lets the run handle a stop request, as a long measurement does.
  void poll() const {
    if (poll_) poll_(0.0);
  }

 private:
  Poll poll_;
};

/// Coarsest passage of a massless body by a massive body so far, see integrators::Passage, or the
/// first one of any bodies that the integrator does not resolve by its nature.
struct CoarsestPassage {
  enum class Kind { step, encounter, pericentre };

  double measure;               ///< dt sqrt(G m / r^3), softened; see Kind
  double limit;                 ///< largest measure that the integrator resolves
  double distance;              ///< [length]
  double time;                  ///< [time]
  std::uint64_t body, massive;  ///< ids
  /// Measured quantity: the step; the distance of two bodies in Hill radii; the step of
  /// wisdom_holman at a pericentre.
  Kind kind = Kind::step;
  bool is_massless = true;  ///< whether `body` is: no sum shows its errors

  bool is_resolved() const { return measure <= limit; }
};

/// First occurrence of values that are not finite.
struct NotFinite {
  std::uint64_t step;   ///< first step after which they were found
  std::uint64_t index;  ///< index of the first such body
  std::string what;     ///< "its position or velocity"
};

/// Massless bodies, which do not contribute to sums over all bodies.
struct Massless {
  std::size_t count = 0;
  /// Whether the energy of each massless body is conserved and measured: this requires at most one
  /// massive body, so that the field moves with it and does not change.
  bool measured = false;
};

/// Query that follows advance(). Before a measurement the last force evaluation also computes
/// potentials, which is cheaper than an evaluation of their own.
enum class FollowUp { nothing, measurement };

/// Measurements with a cost that grows with the number of bodies; bits of a set.
enum Measured : unsigned {
  measured_bodies = 1,  ///< a copy of the bodies on the host
  measured_potential = 2,
  measured_forces = 4,  ///< by the solver of the run, in addition to those of a step
  measured_density_centre = 8,
  measured_pair_distances = 16,
  measured_reference = 32,    ///< the field at one body, summed in double precision
  measured_few = 64,          ///< the forces on a few bodies
  measured_neighbours = 128,  ///< a search for the neighbours of all bodies by one table alone
};

/// Wall time of each measurement [s]; 0 for those that were not requested.
struct MeasuredTimes {
  double bodies = 0.0, potential = 0.0, forces = 0.0, few = 0.0;
  double density_centre = 0.0;  ///< and a search for neighbours
  double pair_distances = 0.0;
  double reference = 0.0;  ///< for one body
  /// Whether a step that is followed by a measurement computes potentials together with its forces.
  bool potential_with_forces = false;
};

/// Description of a simulation.
struct SimulationInfo {
  Massless massless;
  std::string kernel;  ///< force kernel, as chosen by "auto", or "fmm"
  /// Error estimates of a solver that measures them; nothing before the first estimate.
  std::optional<forces::ForceErrors> force_errors;
  int threads;   ///< on the host
  double bytes;  ///< approximate memory of the simulation
};

/// Bodies that evolve under the force law, the integrator and the steps of a configuration. Can be
/// advanced and queried between steps. Writes no files and needs no directory.
class Simulation : public Instant {
 public:
  /// Advances by `steps` steps of the deck. With 0 steps it evaluates the forces with which the
  /// first step begins, and the potentials for a measurement if `follow_up` asks for them. Throws
  /// integrators::Collision if two bodies come so close that no step resolves them; the bodies are
  /// then restored to the beginning of that step of the deck.
  virtual void advance(std::uint64_t steps = 1, FollowUp follow_up = FollowUp::nothing) = 0;
  /// Makes up to `steps` quiet steps of few bodies: steps after which nothing is measured, observed
  /// or saved. They need no kernel launch for the check of the state, and for most schemes none at
  /// all. The bits are those of advance(). Returns the number of steps made: fewer if a state is
  /// not finite, or if steps of varying cost have taken `seconds` [s]; 0 before the first
  /// advance(), for many bodies, on a GPU, on several ranks and with events. Throws a Collision as
  /// advance() does; earlier steps are kept.
  virtual std::uint64_t advance_quietly(
      std::uint64_t /*steps*/, double /*seconds*/ = std::numeric_limits<double>::infinity()) {
    return 0;
  }
  /// Events of the last call of advance(), in the order of their times. If the last one
  /// ends_step(), the last step was not made: the bodies are those of its beginning.
  virtual std::vector<Event> const& events() const {
    static std::vector<Event> const none;
    return none;
  }
  /// Continues with another time step [time]; forces are evaluated anew.
  virtual void set_time_step(double time_step) = 0;
  /// Reverses the direction of time.
  virtual void reverse_time() = 0;
  /// Receives signals that other ranks have got. advance() does this after its steps; a paused run
  /// calls it many times per second. No effect in a single process.
  virtual void receive_signals() {}

  /// Returns the first step so far after which a position or velocity was not finite; see
  /// diagnostics::FiniteWatch. Fences.
  virtual std::optional<NotFinite> not_finite() = 0;
  /// Coarsest passage so far. Nothing if passages are not tracked: no massless bodies, at most one
  /// massive body, or a softening length that resolves every passage; with an integrator that
  /// detects passages itself, if there was none. Fences.
  virtual std::optional<CoarsestPassage> coarsest_passage() = 0;

  /// Saves positions and velocities for roll_back().
  virtual void mark() = 0;
  /// Restores the state of mark() and continues with half the step.
  virtual void roll_back() = 0;

  /// Saves or restores everything that affects the next step.
  virtual void exchange(SavedState& state) = 0;

  /// Calls of a poll of steps.
  enum class StepPoll {
    /// After internal steps, with the completed fraction of the step of the deck. If it throws, the
    /// bodies are not synchronised.
    measure,
    /// Called before each force evaluation too, with any fraction. If it throws, advance() restores
    /// the beginning of the step of the deck, with all bits of the state, and passes it on.
    interrupt
  };
  /// Sets a callback within the steps of advance(); none by default. Not called if several ranks
  /// share the bodies.
  virtual void set_step_poll(Poll, StepPoll = StepPoll::measure) {}

  /// Measures the wall times of the solver for a set of measurements, extrapolated where they take
  /// more than 0.05 s; the other times are 0. Changes no state and no counters. Fences.
  virtual MeasuredTimes time_solver(unsigned measured) = 0;
  /// Wall time of one full force evaluation [s], see time_solver().
  double time_forces() { return time_solver(measured_forces).forces; }

  virtual SimulationInfo info() const = 0;
};

/// Makes the simulation of a run from its initial bodies. For few bodies fewer threads may be used
/// than are available, see execution_space_for(); the results do not depend on their number. Kokkos
/// must be initialised.
std::unique_ptr<Simulation> make_simulation(deck::Configuration const& run,
                                            HostBodies const& start);
/// Restores a simulation of `count` bodies from a saved state.
std::unique_ptr<Simulation> restore_simulation(deck::Configuration const& run, std::size_t count,
                                               SavedState& state);

/// Makes the initial bodies of a run on the host. Throws a bad-input error if the precision of the
/// run cannot represent them or their squares.
HostBodies make_bodies(deck::Configuration const& run);

}  // namespace apsis::simulation
