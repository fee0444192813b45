// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kepler_step.hpp"
#include <apsis/core/vec3.hpp>
#include <apsis/integrators/passages.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace apsis::forces {
class ExtraForces;
}

namespace apsis::integrators {

/// A body with mass, in inertial coordinates.
struct MassiveBody {
  double mass;
  Vec3<double> position, velocity;
  std::uint64_t index;  ///< among all bodies
};

/// Throws a bad-input error if no body has more than half of the mass. `masses`: of all bodies.
void check_dominant_body(std::vector<double> const& masses);

/// Kicks and drifts of massive bodies as instructions for massless bodies, which move in the same
/// way but act on nothing. Plain numbers, so that they can be copied to a GPU at once. For each
/// kick:
///
///   drift | shift before 3 | probe | kick | is second half of a lazy kick | shift after 3 | time
///   | position of each source, 3 each | position and acceleration of each frame, 6 each
///
/// Frame k is the centre of mass of the first k + 1 massive bodies, or the dominant body in
/// democratic coordinates.
struct KickProgram {
  enum Place { drift, shift_before, probe = 4, kick, is_second, shift_after, time = 10, sources };

  bool is_recording = false;
  std::size_t source_count = 0, frame_count = 0;
  std::vector<double> numbers{};

  std::size_t stride() const { return sources + 3 * source_count + 6 * frame_count; }
  std::size_t size() const { return numbers.size() / stride(); }
  /// Appends an instruction with zeros and returns its numbers.
  double* append() {
    numbers.resize(numbers.size() + stride());
    return numbers.data() + numbers.size() - stride();
  }
};

/// First encounter and first pericentre that the steps do not resolve (unresolved.hpp).
struct PlanetaryFindings {
  Passage encounter, pericentre;
};

/// Massive bodies split into Kepler orbits and their mutual perturbations. Advances them by drifts
/// along the orbits and by kicks. On the host, in double; the same on all ranks.
///
/// Jacobi coordinates (Wisdom & Holman 1991, AJ 102, 1528): the dominant body, then the others by
/// rising semi-major axis; each orbits the centre of mass of those before. Democratic heliocentric
/// coordinates (Duncan, Levison & Lee 1998, AJ 116, 2067): positions relative to the dominant body,
/// velocities relative to the centre of mass.
///
/// Cost of a drift: O(N); of a kick: O(N^2).
class PlanetarySystem {
 public:
  PlanetarySystem() = default;
  PlanetarySystem(double G, bool is_democratic, std::vector<MassiveBody> bodies);

  std::size_t size() const { return mass_.size(); }
  KickProgram& program() { return program_; }

  /// Advances all bodies along their orbits by dt [time]. Drifts between two kicks are added up.
  void drift(double dt) { state_[pending] += dt; }
  /// Changes the velocities by dt [time] times the perturbations.
  void kick(double dt);
  /// Kicks like kick(), with the perturbations at positions displaced by dt^2 / 12 times the
  /// perturbations (Wisdom, Holman & Touma 1996, Fields Inst. Commun. 10, 217). Jacobi coordinates
  /// only.
  void kick_lazily(double dt);
  /// Completes pending drifts.
  void finish_drift();

  /// Whether all coordinates are finite, and the squared distance of each body from the origin is
  /// at most `largest_square` [length^2]. May be false near that bound. Ignores pending drifts.
  bool is_within(double largest_square) const;

  /// The bodies in the order of the chain. Call finish_drift() before.
  std::vector<MassiveBody> const& bodies();
  /// Positions and velocities of the frames, in inertial coordinates, six numbers each.
  std::vector<double> frames();
  /// G m of each source, then G times the mass of each orbit about a frame.
  std::vector<double> strengths() const;
  /// Frame of a massless body: that of the massive bodies with smaller semi-major axes.
  int frame_of(Vec3<double> const& position, Vec3<double> const& velocity) const;

  /// Adds forces besides gravity that depend on positions alone to all kicks; null: none. The
  /// system must then have all bodies of the run that are not gone.
  void set_extra_forces(forces::ExtraForces const* forces) { extra_forces_ = forces; }

  /// Sets where the first encounter and the first pericentre that steps of `dt` do not resolve are
  /// written, with `time` [time]; null: nowhere.
  void set_findings(PlanetaryFindings* findings, double dt, double time) {
    findings_ = findings;
    step_squared_ = dt * dt;
    time_ = time;
  }

  /// Squared encounter distance of a massless body and each source, over the squared distance from
  /// the dominant body; 0 for that body.
  std::vector<double> encounter_ratios() const;

  /// All numbers that steps change.
  std::vector<double>& state() { return state_; }
  /// Masses and indices in the order of the chain.
  std::vector<double> const& masses() const { return mass_; }
  std::vector<std::uint64_t> const& indices() const { return index_; }
  /// A system with this chain; the caller sets its state.
  PlanetarySystem(double G, bool is_democratic, std::vector<double> masses,
                  std::vector<std::uint64_t> indices);

 private:
  using Columns = std::array<std::vector<double>, 3>;
  /// Places in the state.
  enum { pending, centre_position, centre_velocity = 4, coordinates = 7 };

  std::size_t planets() const { return mass_.size() - 1; }
  double* x(int axis) { return state_.data() + coordinates + axis * stride_; }
  double* v(int axis) { return state_.data() + coordinates + (3 + axis) * stride_; }
  /// Low parts of x and v, which are compensated sums (Kahan 1965, CACM 8, 40).
  double* x_low(int axis) { return state_.data() + coordinates + (6 + axis) * stride_; }
  double* v_low(int axis) { return state_.data() + coordinates + (9 + axis) * stride_; }
  void set_coordinates(std::vector<MassiveBody> const& bodies);

  void evaluate();
  void evaluate_jacobi();
  void evaluate_democratic();
  void accelerate(double const* const (&position)[3], double const* strength, std::size_t count,
                  bool omits_first_pair, Columns& acceleration) const;
  void set_encounter_ratios();
  double encounter_ratio(double mass) const;
  void find_encounter(double const* const (&position)[3], std::size_t count) const;
  void find_pericentre(std::size_t first, OrbitStep const& step,
                       OrbitLanes const (&position)[3]) const;
  void add_orbital_terms();
  void add_extra_forces();
  Vec3<double> jump(double dt);
  double* record_drift();
  void record_tables(double* numbers) const;

  double G_ = 1.0;
  bool is_democratic_ = false;
  std::size_t stride_ = 0;             ///< planets, rounded up to whole packs
  std::vector<double> mass_, sum_;     ///< masses, and their running sums
  std::vector<double> strength_, mu_;  ///< G m of each body; gravity of the orbit of each planet
  std::vector<std::uint64_t> index_;
  std::vector<double> state_;
  Columns position_, acceleration_;     ///< of all bodies, relative to the centre of mass
  Columns perturbation_;                ///< of the planets, in the coordinates of the state
  Columns frame_, frame_acceleration_;  ///< of the frames, for massless bodies
  std::vector<double> undisplaced_;     ///< positions before a lazy kick
  std::vector<MassiveBody> bodies_;
  KickProgram program_;
  /// Squared encounter distance of bodies i and j over the squared distance from the dominant body,
  /// in a row of packs of i for each j; 0 if there is no such pair.
  std::vector<double> encounter_ratio_;
  PlanetaryFindings* findings_ = nullptr;
  double step_squared_ = 0.0, time_ = 0.0;
  forces::ExtraForces const* extra_forces_ = nullptr;
  std::vector<double> extra_rows_;       ///< masses, positions, velocities, accelerations of all
  std::array<double, 3> centre_push_{};  ///< acceleration of the centre of mass
};

/// Symplectic corrector (Wisdom, Holman & Touma 1996; Wisdom 2006, AJ 131, 2294): a change of
/// coordinates before the first step and after the last one, which removes the errors of first
/// order in the masses up to order `order` in dt.
class Corrector {
 public:
  /// `order`: 0 for none, or 3, 5 ... 17.
  explicit Corrector(int order);

  /// Changes from inertial motion to that of the map with steps of dt.
  void apply(PlanetarySystem& system, double dt) const { multiply(system, dt, 1.0); }
  /// The inverse.
  void undo(PlanetarySystem& system, double dt) const { multiply(system, dt, -1.0); }

  bool is_empty() const { return drift_.empty(); }
  std::size_t kicks() const { return 4 * drift_.size(); }

 private:
  void multiply(PlanetarySystem& system, double dt, double sign) const;

  std::vector<double> drift_, kick_;  ///< fractions of the step
};

}  // namespace apsis::integrators
