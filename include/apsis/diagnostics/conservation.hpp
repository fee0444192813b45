// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/parameter.hpp>
#include <apsis/core/saved_state.hpp>
#include <apsis/core/vec3.hpp>
#include <apsis/forces/extra_entry.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace apsis::diagnostics {

/// Energy by which a change of energy is divided.
enum class EnergyMeasure {
  energy,     ///< |K + W|
  kinetic,    ///< K, if K + W nearly cancels and K > |W|
  potential,  ///< |W|, if K + W nearly cancels and K <= |W|
  none,       ///< both are 0: the error is absolute
};

/// Denominator of a relative energy error.
struct EnergyScale {
  EnergyMeasure measure = EnergyMeasure::none;
  double value = 0.0;     ///< >= 0 [mass length^2 / time^2], or per mass
  bool in_field = false;  ///< whether it is in the frame of the coordinates and contains a field

  /// Returns |change| / scale, or |change| if the scale is 0.
  APSIS_INLINE_FUNCTION constexpr double error(double change) const {
    double const size = change < 0.0 ? -change : change;
    return value > 0.0 ? size / value : size;
  }
};

/// Returns the energy scale of a system with these energies at the start: |K + W|, or the larger of
/// K and |W| if |K + W| is less than a tenth of it. (On a parabola K + W is a rounding error, not a
/// scale.) `kinetic` must be in the centre-of-mass frame; otherwise the scale depends on the frame.
APSIS_INLINE_FUNCTION constexpr EnergyScale energy_scale(double kinetic, double potential) {
  constexpr double cancelled = 0.1;
  double const energy = kinetic + potential;
  double const whole = energy < 0.0 ? -energy : energy;
  double const depth = potential < 0.0 ? -potential : potential;
  double const larger = kinetic > depth ? kinetic : depth;
  if (larger == 0.0) return {};
  if (!(whole < cancelled * larger)) return {EnergyMeasure::energy, whole};
  return {kinetic > depth ? EnergyMeasure::kinetic : EnergyMeasure::potential, larger};
}

/// Conserved quantities that events have moved out of the sums over all bodies: those of removed
/// bodies, and what a merger or an inelastic bounce turns into heat and spin.
struct Moved {
  double energy = 0.0;            ///< in the centre-of-mass frame [mass length^2 / time^2]
  Vec3<double> momentum;          ///< [mass length / time]
  Vec3<double> angular_momentum;  ///< about the origin [mass length^2 / time]

  Moved& operator+=(Moved const& b) {
    energy += b.energy;
    momentum = momentum + b.momentum;
    angular_momentum = angular_momentum + b.angular_momentum;
    return *this;
  }
};

/// Conserved quantities of the whole system at one time, in double.
struct Measurement {
  double kinetic = 0.0;  ///< K in the frame of the coordinates [mass length^2 / time^2]
  /// W, with the energies of forces besides gravity [mass length^2 / time^2].
  double potential = 0.0;
  double extra_energy = 0.0;  ///< part of W of forces besides gravity [mass length^2 / time^2]
  /// K in the centre-of-mass frame, sum of m |v - V|^2 / 2 with V = P / M. Independent of any bulk
  /// motion.
  double internal_kinetic = 0.0;
  double mass = 0.0;
  Vec3<double> momentum;                    ///< sum of m v
  Vec3<double> angular_momentum;            ///< sum of m x cross v, about the origin
  Vec3<double> center_of_mass;              ///< the origin if there is no mass
  double test_particle_energy_error = 0.0;  ///< see TestParticles; 0 if there are none
  forces::ConservedSums conserved{};        ///< what the forces leave constant
  Moved moved;                              ///< by all events so far

  /// K + W in the frame of the coordinates.
  double total() const { return kinetic + potential; }
  /// K + W in the centre-of-mass frame.
  double internal_energy() const { return internal_kinetic + potential; }
  /// The K that is judged: in the centre-of-mass frame or, with a field at rest in the coordinates,
  /// in their frame.
  double judged_kinetic() const { return conserved.internal_energy ? internal_kinetic : kinetic; }
  /// K + W in the frame of energy errors.
  double judged_energy() const { return judged_kinetic() + potential; }
  /// Scale of changes of the judged energy. With a field at rest in the coordinates it is that of
  /// the mutual gravity in the centre-of-mass frame: the orbit in the field does not dilute an
  /// error. Without mutual gravity and relative motion, as of one body, it is that in the field.
  EnergyScale energy_scale() const;
  /// Whether every quantity is a finite number.
  bool is_finite() const;
  /// K / |W| with the internal K; 1/2 in equilibrium; 0 without a potential.
  double virial_ratio() const;
};

/// Compares each measurement of a run with the first one.
struct Conservation {
  std::optional<Measurement> first;
  Measurement last;
  /// Error of the last measurement: the change of the judged energy, including what events moved,
  /// over energy_scale, or the largest error of a test particle if that is larger.
  double relative_energy_error = 0.0;
  double max_relative_energy_error = 0.0;
  double max_test_particle_energy_error = 0.0;
  double max_momentum_error = 0.0;  ///< |P + moved P - P0| [mass length / time]
  /// Denominator of the relative energy error: that of the first measurement, and after an event
  /// that moved energy that of the bodies then present.
  EnergyScale energy_scale;

  /// Adds a measurement; the first one is the reference.
  void add(Measurement const& measurement);
  /// Energies in the frame of the coordinates; NaN without a measurement.
  double initial_energy() const;
  double final_energy() const;
  /// Energies in the centre-of-mass frame; NaN without a measurement.
  double initial_internal_energy() const;
  double final_internal_energy() const;
  /// Energies in the frame of energy errors; NaN without a measurement.
  double initial_judged_energy() const;
  double final_judged_energy() const;
  /// Whether energies are judged in the centre-of-mass frame.
  bool is_internal() const { return last.conserved.internal_energy; }

  void exchange(SavedState& state);
};

/// Returns the columns of conservation.csv; tools rely on their names and order.
std::vector<TableColumn> const& conservation_columns();

/// Returns the line of conservation.csv for the last measurement; numbers are exact when read back.
std::string conservation_row(std::uint64_t step, double time, Conservation const& conservation,
                             double wall_seconds);

/// Returns the formula of the scale of relative energy errors: "|E0|", "K0", "|W0|" or "1".
std::string formula_of(EnergyMeasure measure);
/// Returns the frame of the scale of relative energy errors: "in the centre-of-mass frame", "of the
/// bodies alone, in the centre-of-mass frame" or "in the frame of the coordinates".
std::string frame_of(Conservation const& conservation);
/// Returns the name of the scale of relative energy errors: "internal energy", "internal kinetic
/// energy", "potential energy" or "none".
std::string name_of(EnergyMeasure measure);

}  // namespace apsis::diagnostics
