// SPDX-License-Identifier: Apache-2.0
// Made by AMUSE's amusifier (commit 8dd292c0a) from contrib/amuse/interface.py; do not edit.
#include "stdbool.h"
#ifdef __cplusplus
extern "C" {
#endif

int cleanup_code();

int commit_parameters();

int commit_particles();

int delete_particle(int index_of_the_particle);

int disable_stopping_condition(int type);

int enable_stopping_condition(int type);

int evolve_model(double time);

int get_acceleration(int index_of_the_particle, double * ax, double * ay, double * az);

int get_accuracy(double * value);

int get_begin_time(double * time);

int get_center_of_mass_position(double * x, double * y, double * z);

int get_center_of_mass_velocity(double * vx, double * vy, double * vz);

int get_deck(char * * value);

int get_eps2(double * epsilon_squared);

int get_eta(double * value);

int get_gravity_at_point(double * eps, double * x, double * y, double * z, double * ax, double * ay, double * az, int npoints);

int get_index_of_first_particle(int * index_of_the_particle);

int get_index_of_next_particle(int index_of_the_particle, int * index_of_the_next_particle);

int get_integrator(char * * value);

int get_is_time_reversed_allowed(bool * value);

int get_kinetic_energy(double * kinetic_energy);

int get_mass(int index_of_the_particle, double * mass);

int get_number_of_particles(int * number_of_particles);

int get_number_of_stopping_conditions_set(int * result);

int get_number_of_threads(int * value);

int get_position(int index_of_the_particle, double * x, double * y, double * z);

int get_potential(int index_of_the_particle, double * potential);

int get_potential_at_point(double * eps, double * x, double * y, double * z, double * phi, int npoints);

int get_potential_energy(double * potential_energy);

int get_precision(char * * value);

int get_radius(int index_of_the_particle, double * radius);

int get_solver(char * * value);

int get_state(int index_of_the_particle, double * mass, double * x, double * y, double * z, double * vx, double * vy, double * vz, double * radius);

int get_stepping(char * * value);

int get_stopping_condition_info(int index, int * type, int * number_of_particles);

int get_stopping_condition_maximum_density_parameter(double * value);

int get_stopping_condition_maximum_internal_energy_parameter(double * value);

int get_stopping_condition_minimum_density_parameter(double * value);

int get_stopping_condition_minimum_internal_energy_parameter(double * value);

int get_stopping_condition_number_of_steps_parameter(int * value);

int get_stopping_condition_out_of_box_parameter(double * value);

int get_stopping_condition_out_of_box_use_center_of_mass_parameter(bool * value);

int get_stopping_condition_particle_index(int index, int index_of_the_column, int * index_of_particle);

int get_stopping_condition_timeout_parameter(double * value);

int get_time(double * time);

int get_time_step(double * time_step);

int get_total_mass(double * mass);

int get_total_radius(double * radius);

int get_velocity(int index_of_the_particle, double * vx, double * vy, double * vz);

int has_stopping_condition(int type, int * result);

int initialize_code();

int is_stopping_condition_enabled(int type, int * result);

int is_stopping_condition_set(int type, int * result);

int new_particle(int * index_of_the_particle, double mass, double x, double y, double z, double vx, double vy, double vz, double radius);

int recommit_parameters();

int recommit_particles();

int set_accuracy(double value);

int set_begin_time(double time);

int set_deck(char * value);

int set_eps2(double epsilon_squared);

int set_eta(double value);

int set_integrator(char * value);

int set_is_time_reversed_allowed(bool value);

int set_mass(int index_of_the_particle, double mass);

int set_number_of_threads(int value);

int set_position(int index_of_the_particle, double x, double y, double z);

int set_precision(char * value);

int set_radius(int index_of_the_particle, double radius);

int set_solver(char * value);

int set_state(int index_of_the_particle, double mass, double x, double y, double z, double vx, double vy, double vz, double radius);

int set_stepping(char * value);

int set_stopping_condition_maximum_density_parameter(double value);

int set_stopping_condition_maximum_internal_energy_parameter(double value);

int set_stopping_condition_minimum_density_parameter(double value);

int set_stopping_condition_minimum_internal_energy_parameter(double value);

int set_stopping_condition_number_of_steps_parameter(int value);

int set_stopping_condition_out_of_box_parameter(double value);

int set_stopping_condition_out_of_box_use_center_of_mass_parameter(bool value);

int set_stopping_condition_timeout_parameter(double value);

int set_time_step(double value);

int set_velocity(int index_of_the_particle, double vx, double vy, double vz);

int synchronize_model();
#ifdef __cplusplus
}
#endif

