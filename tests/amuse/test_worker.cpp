// SPDX-License-Identifier: Apache-2.0
// The worker's functions, called as AMUSE's dispatcher calls them. Each case begins with a new
// model; AMUSE's Python side moves between the states by itself, here a test does.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "amuse/apsis_worker.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

namespace {

constexpr int collision = 0, pair = 1, timeout = 3, number_of_steps = 4, out_of_box = 5;

struct Options {
  std::string integrator = "gauss_radau15";
  double time_step = 0.125, eps2 = 0.0, begin_time = 0.0;
};

/// A model in the state EDIT.
void start(Options options = {}) {
  CHECK(initialize_code() == 0);
  CHECK(set_integrator(options.integrator.data()) == 0);
  CHECK(set_time_step(options.time_step) == 0);
  CHECK(set_eps2(options.eps2) == 0);
  CHECK(set_begin_time(options.begin_time) == 0);
  CHECK(commit_parameters() == 0);
}

int add(double mass, double x, double y, double vx, double vy, double radius = 0.0) {
  int index = 0;
  CHECK(new_particle(&index, mass, x, y, 0.0, vx, vy, 0.0, radius) == 0);
  return index;
}

/// Two bodies of mass 1/2 at the pericentre of an orbit of semi-major axis 1 and eccentricity 1/2:
/// period 2 pi.
std::vector<int> add_orbit() {
  double const v = 0.5 * std::sqrt(3.0);
  return {add(0.5, 0.25, 0, 0, v), add(0.5, -0.25, 0, 0, -v)};
}

struct Place {
  double x = 0.0, y = 0.0, z = 0.0;
};

Place position(int index) {
  Place p;
  CHECK(get_position(index, &p.x, &p.y, &p.z) == 0);
  return p;
}

double time_of_model() {
  double time = -1.0;
  CHECK(get_time(&time) == 0);
  return time;
}

double energy() {
  double kinetic = 0.0, potential = 0.0;
  CHECK(get_kinetic_energy(&kinetic) == 0);
  CHECK(get_potential_energy(&potential) == 0);
  return kinetic + potential;
}

int number_of_particles() {
  int number = -1;
  CHECK(get_number_of_particles(&number) == 0);
  return number;
}

bool is_set(int type) {
  int result = -1;
  CHECK(is_stopping_condition_set(type, &result) == 0);
  return result == 1;
}

bool near(double a, double b, double error) {
  return std::abs(a - b) <= error;
}

}  // namespace

TEST_CASE("an eccentric orbit: half a period later at the apocentre, a period later at the start") {
  for (std::string const scheme : {"gauss_radau15", "hermite4"}) {
    CAPTURE(scheme);
    double const error = scheme == "hermite4" ? 1e-3 : 1e-10;
    start({.integrator = scheme, .time_step = 1.0 / 64});
    auto const ids = add_orbit();
    CHECK(commit_particles() == 0);
    double const before = energy();
    CHECK(near(before, -0.125, 1e-14));
    CHECK(evolve_model(std::numbers::pi) == 0);
    CHECK(synchronize_model() == 0);
    auto p = position(ids[0]);
    CHECK(near(p.x, -0.75, error));
    CHECK(near(p.y, 0.0, error));
    double vx = 0.0, vy = 0.0, vz = 0.0;
    CHECK(get_velocity(ids[0], &vx, &vy, &vz) == 0);
    CHECK(near(vy, -std::sqrt(3.0) / 6, error));
    CHECK(evolve_model(2 * std::numbers::pi) == 0);
    p = position(ids[0]);
    CHECK(near(p.x, 0.25, error));
    CHECK(near(p.y, 0.0, error));
    CHECK(near(energy(), before, error));
  }
}

TEST_CASE("evolve_model lands exactly, also with stopping conditions and in both directions") {
  for (bool const stops : {false, true}) {
    start({.begin_time = 0.25});
    auto const ids = add_orbit();
    if (stops) CHECK(enable_stopping_condition(collision) == 0);
    CHECK(commit_particles() == 0);
    CHECK(time_of_model() == 0.25);
    for (double const time : {0.25, 0.35, 0.25 + 1.0 / 3, 0.75, 1.7, std::numbers::pi}) {
      CHECK(evolve_model(time) == 0);
      CHECK(time_of_model() == time);
    }
    CHECK(evolve_model(1.0) == -1);
    CHECK(time_of_model() == std::numbers::pi);
    CHECK(set_is_time_reversed_allowed(true) == 0);
    CHECK(evolve_model(0.25) == 0);
    CHECK(time_of_model() == 0.25);
    CHECK(near(position(ids[0]).x, 0.25, 1e-10));
    CHECK(near(position(ids[0]).y, 0.0, 1e-10));
    CHECK(evolve_model(0.5) == 0);
    CHECK(evolve_model(std::numeric_limits<double>::quiet_NaN()) == -1);
  }
}

TEST_CASE("indices remain after others are deleted, and are never used again") {
  start();
  std::vector<int> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(add(0.1 * (i + 1), i, 0, 0, 0, 0.01 * i));
  CHECK(delete_particle(ids[1]) == 0);
  CHECK(commit_particles() == 0);
  CHECK(evolve_model(0.1) == 0);
  CHECK(synchronize_model() == 0);
  CHECK(delete_particle(ids[3]) == 0);
  CHECK(delete_particle(ids[4]) == 0);
  int const newest = add(0.7, 9, 0, 0, 0);
  CHECK(newest > ids[4]);
  CHECK(recommit_particles() == 0);
  CHECK(number_of_particles() == 3);
  for (int const id : {ids[0], ids[2]}) {
    double mass = 0.0, radius = -1.0;
    CHECK(get_mass(id, &mass) == 0);
    CHECK(get_radius(id, &radius) == 0);
    CHECK(mass == 0.1 * (id - ids[0] + 1));
    CHECK(radius == 0.01 * (id - ids[0]));
  }
  CHECK(near(position(ids[2]).x, 2.0, 0.1));
  std::vector<int> indices(1);
  CHECK(get_index_of_first_particle(&indices[0]) == 0);
  int result = 0;
  for (int next = 0; (result = get_index_of_next_particle(indices.back(), &next)) == 0;) {
    indices.push_back(next);
  }
  CHECK(result == 1);
  CHECK(indices == std::vector{ids[0], ids[2], newest});
}

TEST_CASE("indices of no particle are errors of every function") {
  start();
  int const good = add(1, 0, 0, 0, 0), absent = add(1, 1, 0, 0, 0);
  add(1, 0, 1, 0, 0);
  CHECK(delete_particle(absent) == 0);
  // Before the next commit too.
  int next_index = 0;
  CHECK(delete_particle(absent) == -1);
  CHECK(set_mass(absent, 1) == -1);
  CHECK(get_index_of_next_particle(good, &next_index) == 0);
  CHECK(next_index > absent);
  CHECK(number_of_particles() == 2);
  CHECK(commit_particles() == 0);
  for (int const id : {-1, 0, 99, absent}) {
    CAPTURE(id);
    double a, b, c, d, e, f, g, h;
    int next;
    CHECK(delete_particle(id) == -1);
    CHECK(get_state(id, &a, &b, &c, &d, &e, &f, &g, &h) == -1);
    CHECK(set_state(id, 1, 0, 0, 0, 0, 0, 0, 0) == -1);
    CHECK(get_mass(id, &a) == -1);
    CHECK(set_mass(id, 1) == -1);
    CHECK(get_position(id, &a, &b, &c) == -1);
    CHECK(set_position(id, 1, 1, 1) == -1);
    CHECK(get_velocity(id, &a, &b, &c) == -1);
    CHECK(set_velocity(id, 1, 1, 1) == -1);
    CHECK(get_radius(id, &a) == -1);
    CHECK(set_radius(id, 1) == -1);
    CHECK(get_acceleration(id, &a, &b, &c) == -1);
    CHECK(get_potential(id, &a) == -1);
    CHECK(get_index_of_next_particle(id, &next) == -1);
  }
  // The failures changed nothing: the model is still committed.
  CHECK(evolve_model(0.01) == 0);
  CHECK(set_radius(good, -1.0) == -1);
}

TEST_CASE("states: what must come before") {
  CHECK(initialize_code() == 0);
  int index;
  double number;
  CHECK(new_particle(&index, 1, 0, 0, 0, 0, 0, 0, 0) == -1);
  CHECK(commit_particles() == -1);
  CHECK(recommit_parameters() == -1);
  start();
  auto const ids = add_orbit();
  CHECK(evolve_model(1.0) == -1);
  CHECK(synchronize_model() == -1);
  CHECK(recommit_particles() == -1);
  CHECK(get_potential_energy(&number) == -1);
  CHECK(get_total_mass(&number) == 0);
  CHECK(number == 1.0);
  CHECK(commit_particles() == 0);
  CHECK(commit_particles() == -1);
  CHECK(evolve_model(0.5) == 0);
  CHECK(evolve_model(1.0) == 0);
  CHECK(synchronize_model() == 0);
  double const x = position(ids[0]).x;
  // RUN to UPDATE: nothing is evolved or measured until recommit_particles.
  CHECK(set_mass(ids[0], 0.25) == 0);
  CHECK(evolve_model(1.5) == -1);
  CHECK(get_kinetic_energy(&number) == -1);
  CHECK(get_potential(ids[0], &number) == -1);
  CHECK(recommit_particles() == 0);
  CHECK(time_of_model() == 1.0);
  CHECK(position(ids[0]).x == x);
  CHECK(get_total_mass(&number) == 0);
  CHECK(number == 0.75);
  // A body that cannot be represented is refused, and can be corrected.
  CHECK(set_mass(ids[0], -1.0) == 0);
  CHECK(recommit_particles() == -1);
  CHECK(set_mass(ids[0], 0.25) == 0);
  CHECK(recommit_particles() == 0);
  CHECK(set_begin_time(3.0) == -2);
  CHECK(cleanup_code() == 0);
  start();
  CHECK(number_of_particles() == 0);
}

TEST_CASE("without particles time passes") {
  start();
  CHECK(commit_particles() == 0);
  CHECK(evolve_model(2.0) == 0);
  CHECK(time_of_model() == 2.0);
  CHECK(energy() == 0.0);
  int index;
  CHECK(get_index_of_first_particle(&index) == 1);
  CHECK(synchronize_model() == 0);
  add_orbit();
  CHECK(recommit_particles() == 0);
  CHECK(evolve_model(2.5) == 0);
  CHECK(time_of_model() == 2.5);
}

TEST_CASE("softening of particles and of points") {
  start({.eps2 = 0.75});
  int const first = add(2, 0, 0, 0, 0);
  add(3, 0.5, 0, 0, 0);
  CHECK(commit_particles() == 0);
  CHECK(near(energy(), -6.0, 1e-14));
  double phi = 0.0, ax = 0.0, ay = 0.0, az = 0.0;
  CHECK(get_potential(first, &phi) == 0);
  CHECK(near(phi, -3.0, 1e-14));
  CHECK(get_acceleration(first, &ax, &ay, &az) == 0);
  CHECK(near(ax, 1.5, 1e-14));
  // At the point (0.5, 1) without and with a softening length of its own.
  double eps[] = {0.0, 1.0}, x[] = {0.5, 0.5}, y[] = {1, 1}, z[] = {0, 0};
  double phis[2], axs[2], ays[2], azs[2];
  CHECK(get_potential_at_point(eps, x, y, z, phis, 2) == 0);
  CHECK(get_gravity_at_point(eps, x, y, z, axs, ays, azs, 2) == 0);
  for (int i = 0; i < 2; ++i) {
    double const e2 = 0.75 + eps[i] * eps[i];
    double const near_one = 1 / std::sqrt(1 + e2), far_one = 1 / std::sqrt(1.25 + e2);
    CHECK(near(phis[i], -3 * near_one - 2 * far_one, 1e-14));
    CHECK(near(axs[i], -2 * 0.5 * std::pow(far_one, 3), 1e-14));
    CHECK(near(ays[i], -3 * std::pow(near_one, 3) - 2 * std::pow(far_one, 3), 1e-14));
  }
  eps[1] = -1.0;
  CHECK(get_potential_at_point(eps, x, y, z, phis, 2) == -1);
  CHECK(set_eps2(3.75) == 0);
  CHECK(recommit_parameters() == 0);
  CHECK(near(energy(), -3.0, 1e-14));
}

TEST_CASE("quantities of the whole model") {
  start();
  add(1, 1, 0, 0, 2);
  int const light = add(3, -1, 4, 0, -2);
  CHECK(set_velocity(light, 4, -2, 0) == 0);
  CHECK(commit_particles() == 0);
  double a, b, c;
  CHECK(get_center_of_mass_position(&a, &b, &c) == 0);
  CHECK(near(a, -0.5, 1e-15));
  CHECK(near(b, 3.0, 1e-15));
  CHECK(get_center_of_mass_velocity(&a, &b, &c) == 0);
  CHECK(near(a, 3.0, 1e-15));
  CHECK(near(b, -1.0, 1e-15));
  CHECK(get_total_radius(&a) == 0);
  CHECK(near(a, std::sqrt(2.25 + 9), 1e-14));
  CHECK(get_kinetic_energy(&a) == 0);
  CHECK(near(a, 0.5 * 4 + 1.5 * 20, 1e-13));
}

TEST_CASE("parameters: refused values, solvers and precisions, forces of a deck") {
  CHECK(initialize_code() == 0);
  CHECK(set_eps2(-1.0) == -1);
  CHECK(set_time_step(0.0) == -1);
  CHECK(set_number_of_threads(-1) == -1);
  std::string const wrong[] = {"no_scheme", R"({"units": {"system": "solar"}})", "{"};
  std::string text = wrong[0];
  CHECK(set_integrator(text.data()) == 0);
  CHECK(commit_parameters() == -1);
  text = "leapfrog_kdk";
  CHECK(set_integrator(text.data()) == 0);
  char* read_back = nullptr;
  CHECK(get_integrator(&read_back) == 0);
  CHECK(text == read_back);
  for (int const k : {1, 2}) {
    text = wrong[k];
    CHECK(set_deck(text.data()) == 0);
    CHECK(commit_parameters() == -1);
  }
  text = R"({"forces": [{"name": "external", "profile": "point_mass", "mass": 1}]})";
  std::string solver = "fmm", precision = "single";
  CHECK(set_deck(text.data()) == 0);
  CHECK(set_solver(solver.data()) == 0);
  CHECK(set_precision(precision.data()) == 0);
  CHECK(set_accuracy(1e-4) == 0);
  CHECK(commit_parameters() == 0);
  int const body = add(1e-9, 1, 0, 0, 1);
  add(1e-9, -1, 0, 0, -1);
  CHECK(commit_particles() == 0);
  CHECK(evolve_model(std::numbers::pi / 2) == 0);
  CHECK(near(position(body).x, 0.0, 1e-3));
  CHECK(near(position(body).y, 1.0, 1e-3));
}

TEST_CASE("stopping conditions") {
  auto const prepare = [](int type) {
    start({.integrator = "leapfrog_kdk", .time_step = 0.0625});
    CHECK(enable_stopping_condition(type) == 0);
    int result = 0;
    CHECK(is_stopping_condition_enabled(type, &result) == 0);
    CHECK(result == 1);
    std::vector<int> ids{add(1e-6, -1, 0, 1, 0, 0.125), add(1e-6, 5, 5, 0, 0, 0.125),
                         add(1e-6, 1, 0.125, -1, 0, 0.125)};
    CHECK(commit_particles() == 0);
    return ids;
  };
  auto ids = prepare(collision);
  CHECK(evolve_model(2.0) == 0);
  CHECK(is_set(collision));
  // The distance is below 1/4 from x = 0.108 on: the first step after t = 0.892 ends at 0.9375.
  CHECK(time_of_model() == 0.9375);
  int count = 0, type = -1, particles = 0, first = 0, second = 0;
  CHECK(get_number_of_stopping_conditions_set(&count) == 0);
  CHECK(count == 1);
  CHECK(get_stopping_condition_info(0, &type, &particles) == 0);
  CHECK(type == collision);
  CHECK(particles == 2);
  CHECK(get_stopping_condition_particle_index(0, 0, &first) == 0);
  CHECK(get_stopping_condition_particle_index(0, 1, &second) == 0);
  CHECK(first == ids[0]);
  CHECK(second == ids[2]);
  CHECK(get_stopping_condition_particle_index(0, 2, &first) == -1);
  CHECK(get_stopping_condition_info(1, &type, &particles) == -1);
  // Without the condition it goes on, and nothing is set.
  CHECK(disable_stopping_condition(collision) == 0);
  CHECK(evolve_model(2.0) == 0);
  CHECK(time_of_model() == 2.0);
  CHECK(!is_set(collision));

  prepare(number_of_steps);
  CHECK(set_stopping_condition_number_of_steps_parameter(3) == 0);
  CHECK(evolve_model(2.0) == 0);
  CHECK(is_set(number_of_steps));
  CHECK(time_of_model() == 3 * 0.0625);

  prepare(timeout);
  CHECK(set_stopping_condition_timeout_parameter(0.0) == 0);
  CHECK(evolve_model(2.0) == 0);
  CHECK(is_set(timeout));
  CHECK(time_of_model() == 0.0625);

  ids = prepare(out_of_box);
  CHECK(set_stopping_condition_out_of_box_parameter(7.5) == 0);
  CHECK(evolve_model(0.5) == 0);
  CHECK(!is_set(out_of_box));
  CHECK(set_stopping_condition_out_of_box_parameter(6.0) == 0);
  CHECK(evolve_model(1.0) == 0);
  CHECK(is_set(out_of_box));
  CHECK(time_of_model() == 0.5625);
  CHECK(get_stopping_condition_particle_index(0, 0, &first) == 0);
  CHECK(first == ids[1]);

  int result = -1;
  CHECK(has_stopping_condition(pair, &result) == 0);
  CHECK(result == 0);
  CHECK(enable_stopping_condition(pair) == -1);
  CHECK(enable_stopping_condition(10) == -1);
}
