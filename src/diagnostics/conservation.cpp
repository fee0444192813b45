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

void exchange(SavedState& state, std::string const& name, Vec3<double>& vector) {
  state.exchange(name + "_x", vector.x);
  state.exchange(name + "_y", vector.y);
  state.exchange(name + "_z", vector.z);
}

void exchange(SavedState& state, std::string const& name, Measurement& of) {
  state.exchange(name + "/kinetic", of.kinetic);
  state.exchange(name + "/potential", of.potential);
  state.exchange(name + "/mass", of.mass);
  exchange(state, name + "/momentum", of.momentum);
  exchange(state, name + "/angular_momentum", of.angular_momentum);
  exchange(state, name + "/center_of_mass", of.center_of_mass);
}

}  // namespace

void Conservation::add(Measurement const& measurement) {
  if (!first) first = measurement;
  last = measurement;
  double const reference = first->total();
  double const change = std::abs(measurement.total() - reference);
  relative_energy_error = worst(reference != 0.0 ? change / std::abs(reference) : change,
                                measurement.test_particle_energy_error);
  max_relative_energy_error = worst(max_relative_energy_error, relative_energy_error);
  max_momentum_error = worst(max_momentum_error, norm(measurement.momentum - first->momentum));
}

double Conservation::initial_energy() const {
  return first ? first->total() : std::numeric_limits<double>::quiet_NaN();
}

double Conservation::final_energy() const {
  return first ? last.total() : std::numeric_limits<double>::quiet_NaN();
}

void Conservation::exchange(SavedState& state) {
  bool measured = first.has_value();
  auto reference = first.value_or(Measurement{});
  state.exchange("conservation/measured", measured);
  diagnostics::exchange(state, "conservation/first", reference);
  diagnostics::exchange(state, "conservation/last", last);
  state.exchange("conservation/energy_error", relative_energy_error);
  state.exchange("conservation/max_energy_error", max_relative_energy_error);
  state.exchange("conservation/max_momentum_error", max_momentum_error);
  first = measured ? std::optional(reference) : std::nullopt;
}

std::vector<TableColumn> const& conservation_columns() {
  using namespace dimension;
  static std::vector<TableColumn> const table{
      {"step", "time steps of the deck since the start", none, "", true},
      {"time", "simulated time", dimension::time},
      {"kinetic", "kinetic energy K", energy},
      {"potential", "potential energy W, softened as the force is", energy},
      {"total", "E = K + W", energy},
      {"relative_energy_error",
       "|E - E0| / |E0|, or |E - E0| if E0 is 0; also of each massless body about a single mass"},
      {"momentum_x", "sum of m v, x component", momentum},
      {"momentum_y", "sum of m v, y component", momentum},
      {"momentum_z", "sum of m v, z component", momentum},
      {"angular_momentum_x", "sum of m x cross v, x component", angular_momentum},
      {"angular_momentum_y", "sum of m x cross v, y component", angular_momentum},
      {"angular_momentum_z", "sum of m x cross v, z component", angular_momentum},
      {"center_of_mass_x", "centre of mass, x coordinate", length},
      {"center_of_mass_y", "centre of mass, y coordinate", length},
      {"center_of_mass_z", "centre of mass, z coordinate", length},
      {"virial_ratio", "K / |W|: 1/2 in equilibrium; 0 without a potential"},
      {"wall_seconds", "wall time since the start of the run", none, "s"},
  };
  return table;
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
