// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/poll.hpp>
#include <apsis/forces/force_errors.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace apsis {
class SavedState;
struct Context;
template <class Real>
struct Bodies;
}  // namespace apsis
namespace apsis::diagnostics {
struct SystemScales;
struct DensityCentre;
struct ErrorPercentiles;
struct PotentialErrors;
struct FarthestBody;
struct Measurement;
struct PairDistances;
}  // namespace apsis::diagnostics

namespace apsis::deck {
struct Configuration;
struct SnapshotContent;
}  // namespace apsis::deck

namespace apsis::driver {

struct BodiesIdentity;
struct HostColumns;

/// Reads the bodies in the memory space and the precision in which they are stored. `species`: one
/// per body, or empty.
class BodiesReader {
 public:
  virtual ~BodiesReader() = default;
  virtual void read(Context const& context, Bodies<float> const& bodies,
                    std::vector<std::uint8_t> const& species) = 0;
  virtual void read(Context const& context, Bodies<double> const& bodies,
                    std::vector<std::uint8_t> const& species) = 0;
};

/// Reader that calls read(context, bodies, species) for bodies of either precision.
template <class Read>
class CallbackReader final : public BodiesReader {
 public:
  explicit CallbackReader(Read read) : read_(std::move(read)) {}

  void read(Context const& context, Bodies<float> const& bodies,
            std::vector<std::uint8_t> const& species) override {
    read_(context, bodies, species);
  }
  void read(Context const& context, Bodies<double> const& bodies,
            std::vector<std::uint8_t> const& species) override {
    read_(context, bodies, species);
  }

 private:
  Read read_;
};

/// Closest approach of two bodies. `first` < `second` are indices of the bodies.
struct ClosestApproach {
  double distance;  ///< [length]
  double time;      ///< [time]
  std::uint64_t first, second;
};

/// The bodies at a synchronised time, as observers query them, independent of precision and memory
/// space. Results are cached, so a quantity that several observers need is computed once. Fences
/// where needed.
class Instant {
 public:
  virtual ~Instant() = default;

  virtual std::uint64_t step() const = 0;  ///< steps of the deck since the start
  virtual double time() const = 0;         ///< [time]
  virtual double G() const = 0;
  virtual std::size_t count() const = 0;  ///< bodies

  virtual HostBodies const& bodies() = 0;
  /// Potential of each body in double precision, as computed by the solver [length^2 / time^2].
  virtual std::vector<double> const& potential() = 0;
  virtual diagnostics::Measurement const& measure() = 0;
  virtual std::optional<diagnostics::DensityCentre> const& density_centre() = 0;
  /// Closest approach of two bodies that are not both massless. With encounter_distance: within the
  /// integrator steps since the last step of the deck, or nothing if no pair came closer than that
  /// distance. Otherwise: at the present time.
  virtual std::optional<ClosestApproach> closest_approach() = 0;
  /// Distances over all pairs except those of two massless bodies. If the run has a table of them,
  /// the closest pair is that since the last step at which this function was called.
  virtual std::optional<diagnostics::PairDistances> pair_distances() = 0;
  virtual std::optional<diagnostics::FarthestBody> farthest_body() = 0;
  /// Errors of the accelerations of the run's solver, in a random sample of `sample` bodies.
  virtual diagnostics::ErrorPercentiles force_errors(std::uint64_t seed, std::size_t sample) = 0;
  /// Errors of the potentials, in a random sample of `sample` bodies.
  virtual diagnostics::PotentialErrors potential_errors(std::uint64_t seed, std::size_t sample) = 0;
  /// Lets the run handle a stop request. Throws Interrupted if the present measurement may be
  /// interrupted.
  virtual void poll() = 0;
  /// Passes the bodies to a reader. The accelerations are those of the last force evaluation.
  virtual void show(BodiesReader& reader) = 0;
  /// Copies the columns of the bodies in their stored precision.
  virtual void copy_to(HostColumns& copies, deck::SnapshotContent const& content) = 0;

  /// Interactions evaluated so far; a force evaluation of all bodies counts N^2 of them.
  virtual double interactions() const = 0;
};

/// Coarsest passage of a massless body by a massive body so far, see integrators::Passage.
struct CoarsestPassage {
  double measure;               ///< dt sqrt(G m / r^3), softened
  double limit;                 ///< largest measure that the integrator resolves
  double distance;              ///< [length]
  double time;                  ///< [time]
  std::uint64_t body, massive;  ///< ids

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
  measured_reference = 32,  ///< the field at one body, summed in double precision
  measured_few = 64,        ///< the forces on a few bodies
};

/// Wall time of each measurement [s]; 0 for those that were not requested.
struct MeasuredTimes {
  double bodies = 0.0, potential = 0.0, forces = 0.0, few = 0.0;
  double density_centre = 0.0, pair_distances = 0.0;
  double reference = 0.0;  ///< for one body
  /// Whether a step that is followed by a measurement computes potentials together with its forces.
  bool potential_with_forces = false;
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
  /// Continues with another time step [time]; forces are evaluated anew.
  virtual void set_time_step(double time_step) = 0;
  /// Reverses the direction of time.
  virtual void reverse_time() = 0;
  virtual double time_step() const = 0;  ///< negative if time runs backwards
  /// Receives signals that other ranks have got. advance() does this after its steps; a paused run
  /// calls it many times per second. No effect in a single process.
  virtual void receive_signals() {}

  /// Returns the first step so far after which a position or velocity was not finite; see
  /// diagnostics::FiniteWatch. Fences.
  virtual std::optional<NotFinite> not_finite() = 0;
  /// Returns the body with an energy or angular momentum that is not finite, after such a
  /// measurement.
  virtual NotFinite not_finite_measurement() = 0;

  /// Saves positions and velocities for roll_back().
  virtual void mark() = 0;
  /// Restores the state of mark() and continues with half the step.
  virtual void roll_back() = 0;

  /// Saves or restores everything that affects the next step.
  virtual void exchange(SavedState& state) = 0;

  virtual Massless massless() const = 0;
  /// Coarsest passage so far. Nothing if passages are not tracked: no massless bodies, at most one
  /// massive body, or a softening length that resolves every passage. Fences.
  virtual std::optional<CoarsestPassage> coarsest_passage() = 0;

  /// Sets the callback of long measurements: neighbours, distances and sampled errors. A
  /// measurement that it interrupts throws Interrupted and can be repeated.
  virtual void set_poll(Poll poll) = 0;
  /// Sets a callback that may interrupt advance() between two internal steps; its argument is the
  /// completed fraction of the step of the deck. After an interruption the bodies are not
  /// synchronised. Not called if several ranks share the bodies.
  virtual void set_step_poll(Poll poll) = 0;

  /// Measures the wall times of a set of measurements, extrapolated where they take more than 0.05
  /// s. Changes no state and no counters. Fences.
  virtual MeasuredTimes time_measurements(unsigned measured) = 0;

  /// Wall time of one full force evaluation [s], extrapolated from a subset of targets if it takes
  /// more than 0.05 s. Changes no state and no counters. Fences.
  virtual double time_forces() = 0;

  virtual BodiesIdentity identity() const = 0;
  /// Steps of the integrator so far; a block step of some of the bodies counts as one.
  virtual std::uint64_t integrator_steps() const = 0;
  virtual std::string kernel() const = 0;  ///< force kernel, as chosen by "auto"
  /// Error estimates of a solver that measures them; nothing before the first estimate.
  virtual std::optional<forces::ForceErrors> force_accuracy() const = 0;
  /// Whether the solver sums all pairs because its own method cannot handle these bodies.
  virtual bool falls_back() const = 0;
  virtual int threads() const = 0;   ///< on the host
  virtual double bytes() const = 0;  ///< approximate memory of the simulation
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

}  // namespace apsis::driver
