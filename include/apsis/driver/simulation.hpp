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

namespace apsis::driver {

struct BodiesIdentity;
struct Configuration;
struct HostColumns;
struct SnapshotContent;

/// Somebody who reads the bodies where they are, in whatever precision. `species` has one for each
/// or is empty.
class BodiesReader {
 public:
  virtual ~BodiesReader() = default;
  virtual void read(Context const& context, Bodies<float> const& bodies,
                    std::vector<std::uint8_t> const& species) = 0;
  virtual void read(Context const& context, Bodies<double> const& bodies,
                    std::vector<std::uint8_t> const& species) = 0;
};

/// One who reads bodies of either precision in the same way: calls read(context, bodies, species).
template <class Read>
class ReaderBy final : public BodiesReader {
 public:
  explicit ReaderBy(Read read) : read_(std::move(read)) {}

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

/// Two bodies by their places among the bodies, first < second, and where they came closest.
struct ClosestApproach {
  double distance;  ///< [length]
  double time;      ///< [time]
  std::uint64_t first, second;
};

/// The bodies at one synchronised time, as observers ask for them, whatever precision they are in
/// and wherever they are. What several ask for is found once. Fences what it has to.
class Instant {
 public:
  virtual ~Instant() = default;

  virtual std::uint64_t step() const = 0;  ///< steps of the deck since the start
  virtual double time() const = 0;         ///< [time]
  virtual double G() const = 0;
  virtual std::size_t count() const = 0;  ///< bodies

  virtual HostBodies const& bodies() = 0;
  /// Of each body, as the solver finds it in double [length^2 / time^2].
  virtual std::vector<double> const& potential() = 0;
  virtual diagnostics::Measurement const& measure() = 0;
  virtual std::optional<diagnostics::DensityCentre> const& density_centre() = 0;
  /// Closest approach since the last step of the deck, of two bodies that are not both massless:
  /// also within the integrator's steps where the run has an encounter_distance (then nothing, if
  /// none is closer); else at this time.
  virtual std::optional<ClosestApproach> closest_approach() = 0;
  /// Pairs of two massless bodies do not count. Where the run has a table of them, the closest pair
  /// is that since the last step at which this was asked.
  virtual std::optional<diagnostics::PairDistances> pair_distances() = 0;
  virtual std::optional<diagnostics::FarthestBody> farthest_body() = 0;
  /// Of the accelerations that the run's solver finds here, in a sample of so many bodies.
  virtual diagnostics::ErrorPercentiles force_errors(std::uint64_t seed, std::size_t sample) = 0;
  /// Of the potentials, likewise.
  virtual diagnostics::PotentialErrors potential_errors(std::uint64_t seed, std::size_t sample) = 0;
  /// Lets the run heed a stop request; throws Interrupted if it may end what is measured or shown.
  virtual void poll() = 0;
  /// Lets somebody read the bodies; accelerations are of the last force evaluation.
  virtual void show(BodiesReader& to) = 0;
  /// Overwrites copies with the bodies' columns as they are stored.
  virtual void copy_to(HostColumns& copies, SnapshotContent const& content) = 0;

  /// Interactions evaluated so far, by the field's count.
  virtual double interactions() const = 0;
};

/// The coarsest passage of a massless body by a massive one so far, see integrators::Passage.
struct CoarsestPassage {
  double measure;               ///< dt sqrt(G m / r^3), softened
  double limit;                 ///< above it the passage is beyond the resolution of the integrator
  double distance;              ///< [length]
  double time;                  ///< [time]
  std::uint64_t body, massive;  ///< ids

  bool is_resolved() const { return measure <= limit; }
};

/// What is wrong with bodies that are not finite.
struct NotFinite {
  std::uint64_t step;   ///< the first after which they were not
  std::uint64_t index;  ///< the first body, by its place
  std::string what;     ///< "its position or velocity"
};

/// Bodies without mass, whose motion shows in no sum over all bodies.
struct Massless {
  std::size_t count = 0;
  /// Whether each one's own energy is conserved, and measured: where no more than one body has
  /// mass, the field moves along with it and does not change.
  bool measured = false;
};

/// What will be asked of the state at the end of an advance: measurements cost less if the forces
/// know of them.
enum class Ask { nothing, measurement };

/// Measurements of all bodies whose cost grows with their number, as bits of a set.
enum Measured : unsigned {
  measured_bodies = 1,  ///< a copy of them on the host
  measured_potential = 2,
  measured_forces = 4,  ///< by the run's solver, besides those of a step
  measured_density_centre = 8,
  measured_pair_distances = 16,
  measured_reference = 32,  ///< the field at one body, summed in double
  measured_few = 64,        ///< the forces on a few bodies
};

/// Wall time of each measurement [s]; 0 for those that were not asked for.
struct MeasuredTimes {
  double bodies = 0.0, potential = 0.0, forces = 0.0, few = 0.0;
  double density_centre = 0.0, pair_distances = 0.0;
  double reference = 0.0;  ///< of one body
  /// Whether a step that knows of a measurement at its end finds potentials with its forces.
  bool potential_comes_along = false;
};

/// Bodies that move by the law, the integrator and the steps of a configuration. It can be stepped
/// and looked at between steps, writes nothing and needs no directory.
class Simulation : public Instant {
 public:
  /// Advances by steps of the deck; by none, it evaluates what the first step begins with, and
  /// potentials for a measurement as the last step would have if that had known of it. Throws
  /// integrators::Collision if two bodies come so close that no step follows them: the bodies are
  /// then back at the beginning of the deck's step in which that happened.
  virtual void advance(std::uint64_t steps = 1, Ask at_the_end = Ask::nothing) = 0;
  /// From now on in other steps [time], evaluated anew.
  virtual void set_time_step(double time_step) = 0;
  /// From now on time runs backwards, or forwards again.
  virtual void turn_back() = 0;
  virtual double time_step() const = 0;  ///< < 0 if time runs backwards
  /// Receives the signals that other ranks got, without a step: advance() does so after its steps,
  /// a run that pauses many times a second. Does nothing in one process.
  virtual void hear_signals() {}

  /// The first step so far after which a position or velocity was not finite; see
  /// diagnostics::FiniteWatch. Fences.
  virtual std::optional<NotFinite> not_finite() = 0;
  /// Whose energy or angular momentum is not finite, when the measurement is not.
  virtual NotFinite not_finite_measurement() = 0;

  /// Keeps positions and velocities to go back to.
  virtual void mark() = 0;
  /// Takes the bodies back to the mark; they go on from there with half the step.
  virtual void go_back() = 0;

  /// Everything that changes the next step.
  virtual void exchange(SavedState& state) = 0;

  virtual Massless massless() const = 0;
  /// Nothing where no massless body is watched: there is none, no more than one body has mass, or
  /// the softening resolves every passage. Fences.
  virtual std::optional<CoarsestPassage> coarsest_passage() = 0;

  /// Sets the callback of long measurements: of neighbours, distances and sampled errors. One that
  /// it interrupts throws Interrupted, and can be taken again.
  virtual void set_poll(Poll poll) = 0;
  /// Sets a callback that may interrupt advance() between two inner steps, with the fraction of the
  /// deck's step that is done; the bodies are then at no synchronised time. Not called where
  /// several ranks share the bodies.
  virtual void set_step_poll(Poll poll) = 0;

  /// Wall times of a set of measurements, extrapolated where they take more than a twentieth of a
  /// second; nothing is changed or counted. Fences.
  virtual MeasuredTimes time_measurements(unsigned measured) = 0;

  /// How long the forces on all bodies take [s], from those on as many as a twentieth of a second
  /// allows; not counted, and nothing is changed. Fences.
  virtual double time_forces() = 0;

  virtual BodiesIdentity identity() const = 0;
  /// Steps of the integrator so far: of all bodies together, or of one block of them.
  virtual std::uint64_t integrator_steps() const = 0;
  virtual std::string kernel() const = 0;  ///< of the force, as "auto" picked it
  /// Of a solver that looks after its own, if it has looked.
  virtual std::optional<forces::ForceErrors> force_accuracy() const = 0;
  /// Whether the solver sums all pairs because its own method cannot do these bodies.
  virtual bool falls_back() const = 0;
  virtual int threads() const = 0;   ///< of the host
  virtual double bytes() const = 0;  ///< of all that it keeps, about
};

/// Bodies at the start of a run. On few bodies fewer threads may work than there are, see
/// execution_space_for(); results are the same on any number. Kokkos must be initialised.
std::unique_ptr<Simulation> make_simulation(Configuration const& run, HostBodies const& start);
/// One of so many bodies that was saved.
std::unique_ptr<Simulation> restore_simulation(Configuration const& run, std::size_t count,
                                               SavedState& state);

/// Makes the bodies of a run, on the host. Throws a bad-input error if they are such as the run's
/// precision cannot hold or square.
HostBodies make_bodies(Configuration const& run);

}  // namespace apsis::driver
