// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/text.hpp>
#include <apsis/diagnostics/conservation.hpp>

#include <cmath>
#include <limits>

namespace apsis::diagnostics {

namespace {
/// Like std::max, but a NaN stays: a broken run must not look like a good one.
double worst(double a, double b) {
  return std::isnan(b) || b > a ? b : a;
}
}  // namespace

void Conservation::add(Measurement const& measurement) {
  if (!first_) first_ = measurement;
  last_ = measurement;
  double const reference = first_->total();
  double const change = std::abs(measurement.total() - reference);
  energy_error_ = reference != 0.0 ? change / std::abs(reference) : change;
  max_energy_error_ = worst(max_energy_error_, energy_error_);
  max_momentum_error_ = worst(max_momentum_error_, norm(measurement.momentum - first_->momentum));
}

double Conservation::initial_energy() const {
  return first_ ? first_->total() : std::numeric_limits<double>::quiet_NaN();
}

double Conservation::final_energy() const {
  return first_ ? last_.total() : std::numeric_limits<double>::quiet_NaN();
}

std::string conservation_columns() {
  return "step,time,kinetic,potential,total,relative_energy_error,momentum_x,momentum_y,momentum_z,"
         "angular_momentum_x,angular_momentum_y,angular_momentum_z,center_of_mass_x,center_of_mass_"
         "y,"
         "center_of_mass_z,virial_ratio,wall_seconds";
}

std::string conservation_row(std::uint64_t step, double time, Measurement const& m,
                             double relative_energy_error, double wall_seconds) {
  std::string row = std::to_string(step);
  for (double const value :
       {time, m.kinetic, m.potential, m.total(), relative_energy_error, m.momentum.x, m.momentum.y,
        m.momentum.z, m.angular_momentum.x, m.angular_momentum.y, m.angular_momentum.z,
        m.center_of_mass.x, m.center_of_mass.y, m.center_of_mass.z, m.virial_ratio(),
        wall_seconds}) {
    row += "," + shortest(value);
  }
  return row;
}

}  // namespace apsis::diagnostics
