// SPDX-License-Identifier: Apache-2.0
// Functions of AMUSE that get and set parameters and stopping conditions; see interface.cc.
#include "apsis_worker.h"
#include "src/calls.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>

#include <cmath>
#include <limits>
#include <string>

namespace {

using namespace apsis;
using amuse::guarded, amuse::model, amuse::get_value, amuse::report, amuse::failure;

/// Sets a number that must be in [least, infinity).
int set_number(double& number, char const* name, double value, double least = 0.0) {
  return guarded([&] {
    APSIS_VALIDATE(std::isfinite(value) && value >= least,
                   {name, "out of range", "it is " + shortest(value),
                    "give a number of at least " + shortest(least)});
    number = value;
  });
}

int set_text(std::string& text, char const* value) {
  return guarded([&] { text = value; });
}

/// Returns a text that stays valid until the parameter is set again.
int get_text(std::string& text, char** value) {
  *value = text.data();
  return 0;
}

/// Whether a stopping condition has this type; otherwise reports it.
bool is_stopping_type(int type) {
  if (amuse::StoppingConditions::is_type(type)) return true;
  report("stopping condition " + std::to_string(type) + ": unknown type; use 0 to 9");
  return false;
}

int switch_condition(int type, bool on) {
  return guarded([&] {
    if (!is_stopping_type(type)) return failure;
    if (on && !amuse::StoppingConditions::is_supported(type)) {
      report("stopping condition " + std::to_string(type) +
             ": not supported; use collision, timeout, number of steps or out of box");
      return failure;
    }
    model().stopping.enable(type, on);
    return 0;
  });
}

/// Event with this number; null if there is none.
amuse::StoppingEvent const* event_at(int index) {
  auto const& events = model().stopping.events();
  if (index < 0 || static_cast<std::size_t>(index) >= events.size()) return nullptr;
  return &events[static_cast<std::size_t>(index)];
}

/// Limits of stopping conditions of gas, which AMUSE sets in every code. Nothing reads them but
/// their own functions.
struct GasLimits {
  double minimum_density = -1.0, maximum_density = -1.0;
  double minimum_energy = -1.0, maximum_energy = -1.0;
};
GasLimits gas_limits;

}  // namespace

extern "C" {

// Parameters.

int get_eps2(double* epsilon_squared) {
  return get_value(model().parameters.eps2, epsilon_squared);
}

int set_eps2(double epsilon_squared) {
  return set_number(model().parameters.eps2, "eps2", epsilon_squared);
}

int get_time_step(double* time_step) {
  return get_value(model().parameters.time_step, time_step);
}

int set_time_step(double value) {
  return set_number(model().parameters.time_step, "time_step", value,
                    std::numeric_limits<double>::min());
}

int get_begin_time(double* time) {
  return get_value(model().parameters.begin_time, time);
}

int set_begin_time(double time) {
  auto& current = model();
  if (current.is_committed() && time != current.parameters.begin_time) {
    report("begin_time: particles are committed; set it before");
    return amuse::unsupported;
  }
  return set_number(current.parameters.begin_time, "begin_time", time,
                    std::numeric_limits<double>::lowest());
}

int get_integrator(char** value) {
  return get_text(model().parameters.integrator, value);
}

int set_integrator(char* value) {
  return set_text(model().parameters.integrator, value);
}

int get_stepping(char** value) {
  return get_text(model().parameters.stepping, value);
}

int set_stepping(char* value) {
  return set_text(model().parameters.stepping, value);
}

int get_eta(double* value) {
  return get_value(model().parameters.eta, value);
}

int set_eta(double value) {
  return set_number(model().parameters.eta, "eta", value);
}

int get_solver(char** value) {
  return get_text(model().parameters.solver, value);
}

int set_solver(char* value) {
  return set_text(model().parameters.solver, value);
}

int get_accuracy(double* value) {
  return get_value(model().parameters.accuracy, value);
}

int set_accuracy(double value) {
  return set_number(model().parameters.accuracy, "accuracy", value);
}

int get_precision(char** value) {
  return get_text(model().parameters.precision, value);
}

int set_precision(char* value) {
  return set_text(model().parameters.precision, value);
}

int get_deck(char** value) {
  return get_text(model().parameters.deck, value);
}

int set_deck(char* value) {
  return set_text(model().parameters.deck, value);
}

int get_number_of_threads(int* value) {
  return get_value(model().parameters.number_of_threads, value);
}

int set_number_of_threads(int value) {
  if (value < 0) {
    report("number_of_threads: below 0; give 0 or the number of threads");
    return failure;
  }
  model().parameters.number_of_threads = value;
  return 0;
}

int get_is_time_reversed_allowed(bool* value) {
  return get_value(model().parameters.is_time_reversed_allowed, value);
}

int set_is_time_reversed_allowed(bool value) {
  model().parameters.is_time_reversed_allowed = value;
  return 0;
}

// Stopping conditions.

int has_stopping_condition(int type, int* result) {
  *result =
      amuse::StoppingConditions::is_type(type) && amuse::StoppingConditions::is_supported(type);
  return 0;
}

int enable_stopping_condition(int type) {
  return switch_condition(type, true);
}

int disable_stopping_condition(int type) {
  return switch_condition(type, false);
}

int is_stopping_condition_enabled(int type, int* result) {
  *result = amuse::StoppingConditions::is_type(type) && model().stopping.is_enabled(type);
  return 0;
}

int is_stopping_condition_set(int type, int* result) {
  *result = model().stopping.is_set(type);
  return 0;
}

int get_number_of_stopping_conditions_set(int* result) {
  *result = static_cast<int>(model().stopping.events().size());
  return 0;
}

int get_stopping_condition_info(int index, int* type, int* number_of_particles) {
  auto const* const event = event_at(index);
  if (event == nullptr) return failure;
  *type = static_cast<int>(event->type);
  *number_of_particles = static_cast<int>(event->particles.size());
  return 0;
}

int get_stopping_condition_particle_index(int index, int index_of_the_column,
                                          int* index_of_particle) {
  auto const* const event = event_at(index);
  if (event == nullptr || index_of_the_column < 0) return failure;
  auto const column = static_cast<std::size_t>(index_of_the_column);
  if (column >= event->particles.size()) return failure;
  *index_of_particle = event->particles[column];
  return 0;
}

int get_stopping_condition_timeout_parameter(double* value) {
  return get_value(model().stopping.timeout, value);
}

int set_stopping_condition_timeout_parameter(double value) {
  return set_number(model().stopping.timeout, "timeout", value);
}

int get_stopping_condition_number_of_steps_parameter(int* value) {
  return get_value(model().stopping.number_of_steps, value);
}

int set_stopping_condition_number_of_steps_parameter(int value) {
  if (value < 1) {
    report("number_of_steps: below 1; give the number of steps after which to stop");
    return failure;
  }
  model().stopping.number_of_steps = value;
  return 0;
}

int get_stopping_condition_out_of_box_parameter(double* value) {
  return get_value(model().stopping.box_size, value);
}

int set_stopping_condition_out_of_box_parameter(double value) {
  return set_number(model().stopping.box_size, "out_of_box", value);
}

int get_stopping_condition_out_of_box_use_center_of_mass_parameter(bool* value) {
  return get_value(model().stopping.box_follows_centre_of_mass, value);
}

int set_stopping_condition_out_of_box_use_center_of_mass_parameter(bool value) {
  model().stopping.box_follows_centre_of_mass = value;
  return 0;
}

int get_stopping_condition_minimum_density_parameter(double* value) {
  return get_value(gas_limits.minimum_density, value);
}

int set_stopping_condition_minimum_density_parameter(double value) {
  gas_limits.minimum_density = value;
  return 0;
}

int get_stopping_condition_maximum_density_parameter(double* value) {
  return get_value(gas_limits.maximum_density, value);
}

int set_stopping_condition_maximum_density_parameter(double value) {
  gas_limits.maximum_density = value;
  return 0;
}

int get_stopping_condition_minimum_internal_energy_parameter(double* value) {
  return get_value(gas_limits.minimum_energy, value);
}

int set_stopping_condition_minimum_internal_energy_parameter(double value) {
  gas_limits.minimum_energy = value;
  return 0;
}

int get_stopping_condition_maximum_internal_energy_parameter(double* value) {
  return get_value(gas_limits.maximum_energy, value);
}

int set_stopping_condition_maximum_internal_energy_parameter(double value) {
  gas_limits.maximum_energy = value;
  return 0;
}

}  // extern "C"
