// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/saved_state.hpp>
#include <apsis/core/table_column.hpp>
#include <apsis/core/vec3.hpp>
#include <apsis/diagnostics/energy_scale.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace apsis::diagnostics {

/// The conserved quantities of the whole system at one time, in double.
struct Measurement {
  double kinetic = 0.0;    ///< K in the frame of the coordinates [mass length^2 / time^2]
  double potential = 0.0;  ///< W, the same unit
  /// K in the centre-of-mass frame, sum of m |v - V|^2 / 2 with V = P / M. Every bulk motion leaves
  /// it as it is.
  double internal_kinetic = 0.0;
  double mass = 0.0;
  Vec3<double> momentum;                    ///< sum of m v
  Vec3<double> angular_momentum;            ///< sum of m x cross v, about the origin
  Vec3<double> center_of_mass;              ///< the origin if there is no mass
  double test_particle_energy_error = 0.0;  ///< see TestParticles; 0 where there are none

  /// K + W in the frame of the coordinates.
  double total() const { return kinetic + potential; }
  /// K + W in the centre-of-mass frame, which energy errors are measured in.
  double internal_energy() const { return internal_kinetic + potential; }
  /// Whether every quantity is a finite number.
  bool finite() const;
  /// K / |W| with the internal K: 1/2 in equilibrium; 0 without a potential.
  double virial_ratio() const;
};

/// Compares each measurement of a run with the first one.
struct Conservation {
  std::optional<Measurement> first;
  Measurement last;
  /// Error of the last measurement: the change of the internal energy over energy_scale(), or the
  /// largest error of a test particle if that is more.
  double relative_energy_error = 0.0;
  double max_relative_energy_error = 0.0;
  double max_test_particle_energy_error = 0.0;
  double max_momentum_error = 0.0;  ///< |P - P0| [mass length / time]

  /// The first call sets the reference.
  void add(Measurement const& measurement);
  /// Denominator of the relative energy error. The first measurement alone decides it, so that it
  /// stays the same during a run.
  EnergyScale energy_scale() const;
  /// In the frame of the coordinates; NaN if nothing was measured.
  double initial_energy() const;
  double final_energy() const;
  /// In the centre-of-mass frame; NaN if nothing was measured.
  double initial_internal_energy() const;
  double final_internal_energy() const;

  void exchange(SavedState& state);
};

/// The columns of conservation.csv; tools rely on their names and order.
std::vector<TableColumn> const& conservation_columns();

/// Returns the line of conservation.csv for the last measurement; numbers read back exactly.
std::string conservation_row(std::uint64_t step, double time, Conservation const& conservation,
                             double wall_seconds);

/// "|E0|", "K0", "|W0|": the scale of relative energy errors as a formula.
std::string formula_of(EnergyMeasure measure);
/// "internal energy", "internal kinetic energy", "potential energy", "none": the same in words.
std::string name_of(EnergyMeasure measure);

}  // namespace apsis::diagnostics
