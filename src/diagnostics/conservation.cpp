// SPDX-License-Identifier: Apache-2.0
#include "apsis/diagnostics/conservation.hpp"

#include <apsis/core/text.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace apsis::diagnostics {

namespace {

/// Part of an energy below which a scale is rounding.
constexpr double below_rounding = 1e-12;
constexpr double not_measured = std::numeric_limits<double>::quiet_NaN();

/// Like std::max, but propagates NaN, so that a broken run does not look like a good one.
double worst(double a, double b) {
  return std::isnan(b) || b > a ? b : a;
}

void exchange(SavedState& state, std::string const& name, Vec3<double>& vector) {
  state.exchange(name + "_x", vector.x);
  state.exchange(name + "_y", vector.y);
  state.exchange(name + "_z", vector.z);
}

void exchange(SavedState& state, std::string const& name, Measurement& measurement) {
  state.exchange(name + "/kinetic", measurement.kinetic);
  state.exchange(name + "/potential", measurement.potential);
  state.exchange(name + "/internal_kinetic", measurement.internal_kinetic);
  state.exchange(name + "/mass", measurement.mass);
  exchange(state, name + "/momentum", measurement.momentum);
  exchange(state, name + "/angular_momentum", measurement.angular_momentum);
  exchange(state, name + "/center_of_mass", measurement.center_of_mass);
  auto& conserved = measurement.conserved;
  state.exchange(name + "/conserved_energy", conserved.energy);
  state.exchange(name + "/conserved_momentum", conserved.momentum);
  state.exchange(name + "/conserved_angular_momentum", conserved.angular_momentum);
  state.exchange(name + "/conserved_internal_energy", conserved.internal_energy);
  state.exchange(name + "/conserved_massless_energies", conserved.massless_energies);
  auto& moved = measurement.moved;
  bool const has_moved =
      moved.energy != 0.0 || norm(moved.momentum) != 0.0 || norm(moved.angular_momentum) != 0.0;
  bool const saves_moved = !state.restores() && has_moved;
  if (!saves_moved && !state.offers(name + "/moved_energy")) return;
  state.exchange(name + "/moved_energy", moved.energy);
  exchange(state, name + "/moved_momentum", moved.momentum);
  exchange(state, name + "/moved_angular_momentum", moved.angular_momentum);
}

}  // namespace

EnergyScale Measurement::energy_scale() const {
  using diagnostics::energy_scale;
  if (conserved.internal_energy) return energy_scale(internal_kinetic, potential);
  auto const internal = energy_scale(internal_kinetic, potential - extra_energy);
  double const whole = std::max(kinetic, std::abs(extra_energy));
  if (internal.value > below_rounding * whole) return internal;
  auto scale = energy_scale(kinetic, potential);
  scale.in_field = true;
  return scale;
}

void Conservation::add(Measurement const& measurement) {
  auto const& moved = measurement.moved;
  if (!first) {
    first = measurement;
    energy_scale = measurement.energy_scale();
  } else if (moved.energy != last.moved.energy) {
    auto const present = measurement.energy_scale();
    if (present.value > below_rounding * energy_scale.value) energy_scale = present;
  }
  last = measurement;
  double change = measurement.judged_energy() - first->judged_energy();
  if (moved.energy != 0.0) change += moved.energy;
  relative_energy_error = worst(energy_scale.error(change), measurement.test_particle_energy_error);
  max_relative_energy_error = worst(max_relative_energy_error, relative_energy_error);
  max_test_particle_energy_error =
      worst(max_test_particle_energy_error, measurement.test_particle_energy_error);
  max_momentum_error =
      worst(max_momentum_error, norm(measurement.momentum - first->momentum + moved.momentum));
}

double Conservation::initial_energy() const {
  return first ? first->total() : not_measured;
}

double Conservation::final_energy() const {
  return first ? last.total() : not_measured;
}

double Conservation::initial_internal_energy() const {
  return first ? first->internal_energy() : not_measured;
}

double Conservation::final_internal_energy() const {
  return first ? last.internal_energy() : not_measured;
}

double Conservation::initial_judged_energy() const {
  return first ? first->judged_energy() : not_measured;
}

double Conservation::final_judged_energy() const {
  return first ? last.judged_energy() : not_measured;
}

void Conservation::exchange(SavedState& state) {
  bool measured = first.has_value();
  auto reference = first.value_or(Measurement{});
  state.exchange("conservation/measured", measured);
  diagnostics::exchange(state, "conservation/first", reference);
  diagnostics::exchange(state, "conservation/last", last);
  auto measure = static_cast<std::int32_t>(energy_scale.measure);
  state.exchange("conservation/energy_scale", energy_scale.value);
  state.exchange("conservation/energy_measure", measure);
  state.exchange("conservation/energy_in_field", energy_scale.in_field);
  energy_scale.measure = static_cast<EnergyMeasure>(measure);
  state.exchange("conservation/energy_error", relative_energy_error);
  state.exchange("conservation/max_energy_error", max_relative_energy_error);
  state.exchange("conservation/max_test_particle_energy_error", max_test_particle_energy_error);
  state.exchange("conservation/max_momentum_error", max_momentum_error);
  first = measured ? std::optional(reference) : std::nullopt;
}

std::vector<TableColumn> const& conservation_columns() {
  using namespace dimension;
  static std::vector<TableColumn> const table{
      {"step", "time steps of the deck since the start", none, "", true},
      {"time", "simulated time", dimension::time},
      {"kinetic", "kinetic energy in the frame of the coordinates", energy},
      {"potential", "potential energy W, with the softening of the force", energy},
      {"total", "kinetic + potential, in the frame of the coordinates", energy},
      {"relative_energy_error",
       "|change of internal_energy since the start| / energy_scale, or the largest energy error of "
       "a massless body about a single mass, if that is larger"},
      {"momentum_x", "sum of m v, x component", momentum},
      {"momentum_y", "sum of m v, y component", momentum},
      {"momentum_z", "sum of m v, z component", momentum},
      {"angular_momentum_x", "sum of m x cross v about the origin, x component", angular_momentum},
      {"angular_momentum_y", "sum of m x cross v about the origin, y component", angular_momentum},
      {"angular_momentum_z", "sum of m x cross v about the origin, z component", angular_momentum},
      {"center_of_mass_x", "centre of mass, x coordinate", length},
      {"center_of_mass_y", "centre of mass, y coordinate", length},
      {"center_of_mass_z", "centre of mass, z coordinate", length},
      {"virial_ratio", "internal_kinetic / |W|: 1/2 in equilibrium; 0 without a potential"},
      {"wall_seconds", "wall time since the start of the run", none, "s"},
      {"internal_kinetic", "kinetic energy K in the centre-of-mass frame", energy},
      {"internal_energy", "E = K + W in the centre-of-mass frame", energy},
      {"energy_scale",
       "denominator of relative energy errors: |E0| of the start, after a merger that of the "
       "bodies "
       "present, in the centre-of-mass frame and without external fields; the larger of K0 and "
       "|W0| if |E0| is less than a tenth of it; 0 if both are 0: the error is then absolute",
       energy},
  };
  return table;
}

std::string conservation_row(std::uint64_t step, double time, Conservation const& conservation,
                             double wall_seconds) {
  auto const& m = conservation.last;
  std::string row = std::to_string(step);
  for (double const value :
       {time, m.kinetic, m.potential, m.total(), conservation.relative_energy_error, m.momentum.x,
        m.momentum.y, m.momentum.z, m.angular_momentum.x, m.angular_momentum.y,
        m.angular_momentum.z, m.center_of_mass.x, m.center_of_mass.y, m.center_of_mass.z,
        m.virial_ratio(), wall_seconds, m.internal_kinetic, m.internal_energy(),
        conservation.energy_scale.value}) {
    row += "," + shortest(value);
  }
  return row;
}

std::string formula_of(EnergyMeasure measure) {
  switch (measure) {
    case EnergyMeasure::energy:
      return "|E0|";
    case EnergyMeasure::kinetic:
      return "K0";
    case EnergyMeasure::potential:
      return "|W0|";
    default:
      return "1";
  }
}

std::string frame_of(Conservation const& conservation) {
  if (conservation.energy_scale.in_field) return "in the frame of the coordinates";
  return conservation.is_internal() ? "in the centre-of-mass frame"
                                    : "of the bodies alone, in the centre-of-mass frame";
}

std::string name_of(EnergyMeasure measure) {
  switch (measure) {
    case EnergyMeasure::energy:
      return "internal energy";
    case EnergyMeasure::kinetic:
      return "internal kinetic energy";
    case EnergyMeasure::potential:
      return "potential energy";
    default:
      return "none";
  }
}

}  // namespace apsis::diagnostics
