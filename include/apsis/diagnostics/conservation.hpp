// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/saved_state.hpp>
#include <apsis/core/table_column.hpp>
#include <apsis/core/vec3.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace apsis::diagnostics {

/// The conserved quantities of the whole system at one time, in double.
struct Measurement {
  double kinetic = 0.0;    ///< K [mass length^2 / time^2]
  double potential = 0.0;  ///< W, the same unit
  double mass = 0.0;
  Vec3<double> momentum;                    ///< sum of m v
  Vec3<double> angular_momentum;            ///< sum of m x cross v
  Vec3<double> center_of_mass;              ///< the origin if there is no mass
  double test_particle_energy_error = 0.0;  ///< see TestParticles; 0 where there are none

  double total() const { return kinetic + potential; }
  /// Whether every quantity is a finite number.
  bool finite() const;
  /// K / |W|: 1/2 in equilibrium; 0 without a potential.
  double virial_ratio() const;
};

/// Compares each measurement of a run with the first one.
struct Conservation {
  std::optional<Measurement> first;
  Measurement last;
  /// Of the last: |E - E0| / |E0|, or |E - E0| if E0 is 0; of the test particle that has the
  /// largest if that is more.
  double relative_energy_error = 0.0;
  double max_relative_energy_error = 0.0;
  double max_momentum_error = 0.0;  ///< |P - P0| [mass length / time]

  /// The first call sets the reference.
  void add(Measurement const& measurement);
  /// NaN if nothing was measured.
  double initial_energy() const;
  double final_energy() const;

  void exchange(SavedState& state);
};

/// The columns of conservation.csv; tools rely on their names and order.
std::vector<TableColumn> const& conservation_columns();

/// One line of conservation.csv, numbers written so that they read back exactly.
std::string conservation_row(std::uint64_t step, double time, Measurement const& measurement,
                             double relative_energy_error, double wall_seconds);

}  // namespace apsis::diagnostics
