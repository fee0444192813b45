// SPDX-License-Identifier: Apache-2.0
// Functions of AMUSE's gravitational dynamics interface, as apsis_worker.h declares them. AMUSE's
// `amusifier` makes that header from interface.py. Results: 0, and otherwise as AMUSE documents
// each function: -1 for failures, also for indices of no particle, and -2 for what the code does
// not support. No exception leaves a function; the text of a problem goes to the standard error
// stream.
#include "apsis_worker.h"
#include "src/calls.hpp"
#include <apsis/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace {

using namespace apsis;
using amuse::guarded, amuse::model, amuse::get_value;

/// Result of functions that iterate over indices: there is no further particle.
constexpr int no_particle = 1;

std::size_t row_of(int index) {
  auto const row = model().particles().row_of(index);
  APSIS_VALIDATE(row,
                 {"particle " + std::to_string(index), "not found",
                  "its index was never given or it is deleted", "use the result of new_particle"});
  return *row;
}

/// Calls function(particles, row) for a particle that is to be changed.
template <class Function>
int change(int index, Function const& function) {
  return guarded([&] {
    auto const row = row_of(index);
    function(model().edit(), row);
  });
}

/// Calls function(particles, row) for a particle that is to be read.
template <class Function>
int read(int index, Function const& function) {
  return guarded([&] { function(model().particles(), row_of(index)); });
}

double valid_radius(double radius) {
  APSIS_VALIDATE(
      std::isfinite(radius) && radius >= 0.0,
      {"radius", "out of range", "it is " + std::to_string(radius), "give a length of at least 0"});
  return radius;
}

void assign(Vec3<double> const& vector, double* x, double* y, double* z) {
  *x = vector.x;
  *y = vector.y;
  *z = vector.z;
}

/// Number of an energy of committed particles; 0 if there are none.
int get_energy(double diagnostics::Measurement::*energy, double* value) {
  return guarded([&] {
    auto* const simulation = model().simulation();
    *value = simulation == nullptr ? 0.0 : simulation->now().measure().*energy;
  });
}

CentreOfMass centre() {
  return centre_of_mass(model().particles().bodies());
}

simulation::FieldAtPoints field(double const* eps, double const* x, double const* y, double const* z,
                            int npoints) {
  std::vector<Vec3<double>> points;
  for (int i = 0; i < npoints; ++i) points.push_back({x[i], y[i], z[i]});
  return model().field({eps, eps + npoints}, points);
}

}  // namespace

extern "C" {

// The model and its states.

int initialize_code() {
  return guarded([] { amuse::replace_model(); });
}

int cleanup_code() {
  return initialize_code();
}

int commit_parameters() {
  return guarded([] { model().commit_parameters(); });
}

int recommit_parameters() {
  return guarded([] { model().recommit_parameters(); });
}

int commit_particles() {
  return guarded([] { model().commit_particles(); });
}

int recommit_particles() {
  return guarded([] { model().recommit_particles(); });
}

int synchronize_model() {
  return guarded([] { model().synchronize(); });
}

int evolve_model(double time) {
  return guarded([&] { model().evolve(time); });
}

// Particles.

int new_particle(int* index_of_the_particle, double mass, double x, double y, double z, double vx,
                 double vy, double vz, double radius) {
  return guarded([&] {
    valid_radius(radius);
    *index_of_the_particle = model().edit().add(mass, {x, y, z}, {vx, vy, vz}, radius);
  });
}

int delete_particle(int index_of_the_particle) {
  return change(index_of_the_particle, [](auto& particles, auto row) { particles.remove(row); });
}

int get_state(int index_of_the_particle, double* mass, double* x, double* y, double* z, double* vx,
              double* vy, double* vz, double* radius) {
  return read(index_of_the_particle, [&](auto const& particles, auto row) {
    *mass = particles.rows().mass[row];
    assign(particles.rows().position[row], x, y, z);
    assign(particles.rows().velocity[row], vx, vy, vz);
    *radius = particles.radius()[row];
  });
}

int set_state(int index_of_the_particle, double mass, double x, double y, double z, double vx,
              double vy, double vz, double radius) {
  return change(index_of_the_particle, [&](auto& particles, auto row) {
    particles.set_radius(row, valid_radius(radius));
    particles.set_mass(row, mass);
    particles.set_position(row, {x, y, z});
    particles.set_velocity(row, {vx, vy, vz});
  });
}

int get_mass(int index_of_the_particle, double* mass) {
  return read(index_of_the_particle,
              [&](auto const& particles, auto row) { *mass = particles.rows().mass[row]; });
}

int set_mass(int index_of_the_particle, double mass) {
  return change(index_of_the_particle,
                [&](auto& particles, auto row) { particles.set_mass(row, mass); });
}

int get_position(int index_of_the_particle, double* x, double* y, double* z) {
  return read(index_of_the_particle, [&](auto const& particles, auto row) {
    assign(particles.rows().position[row], x, y, z);
  });
}

int set_position(int index_of_the_particle, double x, double y, double z) {
  return change(index_of_the_particle, [&](auto& particles, auto row) {
    particles.set_position(row, {x, y, z});
  });
}

int get_velocity(int index_of_the_particle, double* vx, double* vy, double* vz) {
  return read(index_of_the_particle, [&](auto const& particles, auto row) {
    assign(particles.rows().velocity[row], vx, vy, vz);
  });
}

int set_velocity(int index_of_the_particle, double vx, double vy, double vz) {
  return change(index_of_the_particle, [&](auto& particles, auto row) {
    particles.set_velocity(row, {vx, vy, vz});
  });
}

int get_radius(int index_of_the_particle, double* radius) {
  return read(index_of_the_particle,
              [&](auto const& particles, auto row) { *radius = particles.radius()[row]; });
}

int set_radius(int index_of_the_particle, double radius) {
  return guarded([&] { model().set_radius(row_of(index_of_the_particle), valid_radius(radius)); });
}

int get_acceleration(int index_of_the_particle, double* ax, double* ay, double* az) {
  return read(index_of_the_particle,
              [&](auto const&, auto row) { assign(model().accelerations().at(row), ax, ay, az); });
}

int get_potential(int index_of_the_particle, double* potential) {
  return read(index_of_the_particle, [&](auto const&, auto row) {
    *potential = model().simulation()->now().potential().at(row);
  });
}

int get_number_of_particles(int* number_of_particles) {
  *number_of_particles = static_cast<int>(model().particles().count());
  return 0;
}

int get_index_of_first_particle(int* index_of_the_particle) {
  auto const& particles = model().particles();
  auto const row = particles.next_row(0);
  if (!row) return no_particle;
  *index_of_the_particle = particles.index_of(*row);
  return 0;
}

int get_index_of_next_particle(int index_of_the_particle, int* index_of_the_next_particle) {
  return guarded([&] {
    auto const& particles = model().particles();
    auto const next = particles.next_row(row_of(index_of_the_particle) + 1);
    if (!next) return no_particle;
    *index_of_the_next_particle = particles.index_of(*next);
    return 0;
  });
}

// The whole model.

int get_time(double* time) {
  return get_value(model().time(), time);
}

int get_kinetic_energy(double* kinetic_energy) {
  return get_energy(&diagnostics::Measurement::kinetic, kinetic_energy);
}

int get_potential_energy(double* potential_energy) {
  return get_energy(&diagnostics::Measurement::potential, potential_energy);
}

int get_total_mass(double* mass) {
  return guarded([&] {
    *mass = 0.0;
    for (double const m : model().particles().bodies().mass) *mass += m;
  });
}

int get_center_of_mass_position(double* x, double* y, double* z) {
  return guarded([&] { assign(centre().position, x, y, z); });
}

int get_center_of_mass_velocity(double* vx, double* vy, double* vz) {
  return guarded([&] { assign(centre().velocity, vx, vy, vz); });
}

int get_total_radius(double* radius) {
  return guarded([&] {
    auto const bodies = model().particles().bodies();
    auto const origin = centre_of_mass(bodies).position;
    *radius = 0.0;
    for (auto const& x : bodies.position) *radius = std::max(*radius, norm(x - origin));
  });
}

int get_gravity_at_point(double* eps, double* x, double* y, double* z, double* ax, double* ay,
                         double* az, int npoints) {
  return guarded([&] {
    auto const values = field(eps, x, y, z, npoints).acceleration;
    for (std::size_t i = 0; i < values.size(); ++i) assign(values[i], ax + i, ay + i, az + i);
  });
}

int get_potential_at_point(double* eps, double* x, double* y, double* z, double* phi, int npoints) {
  return guarded([&] {
    auto const values = field(eps, x, y, z, npoints).potential;
    std::copy(values.begin(), values.end(), phi);
  });
}

}  // extern "C"
