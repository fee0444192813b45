// SPDX-License-Identifier: Apache-2.0
// Two workers that are coupled as AMUSE's bridge does it: each code is kicked in the field of the
// other one (Fujii et al. 2007, PASJ 59, 1095).
#define DOCTEST_CONFIG_IMPLEMENT
#include "amuse/remote_worker.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

using apsis::testing::RemoteWorker;
using Numbers = RemoteWorker::Numbers;

namespace {

struct Body {
  double m, x, y, z, vx, vy, vz;
};

/// Calls of a script. Arguments and results are in the array, in their order.
namespace calls {
int start(Numbers& n) {
  char scheme[] = "blanes_moan6";
  int const results[] = {initialize_code(), set_integrator(scheme), set_time_step(n[0]),
                         commit_parameters()};
  return *std::min_element(std::begin(results), std::end(results));
}
int add(Numbers& n) {
  int index = 0;
  int const result = new_particle(&index, n[0], n[1], n[2], n[3], n[4], n[5], n[6], 0.0);
  n[0] = index;
  return result;
}
int commit(Numbers&) {
  return commit_particles();
}
int recommit(Numbers&) {
  return recommit_particles();
}
int evolve(Numbers& n) {
  int const result = evolve_model(n[0]);
  return result != 0 ? result : synchronize_model();
}
int state(Numbers& n) {
  double radius;
  return get_state(static_cast<int>(n[0]), &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6],
                   &radius);
}
int velocity(Numbers& n) {
  return set_velocity(static_cast<int>(n[0]), n[1], n[2], n[3]);
}
int field(Numbers& n) {
  double eps = 0.0;
  int const result = get_gravity_at_point(&eps, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], 1);
  return result != 0 ? result : get_potential_at_point(&eps, &n[0], &n[1], &n[2], &n[6], 1);
}
int energy(Numbers& n) {
  int const result = get_kinetic_energy(&n[0]);
  return result != 0 ? result : get_potential_energy(&n[1]);
}
}  // namespace calls

/// A worker and the indices of its particles.
struct Code {
  RemoteWorker& worker;
  std::vector<int> indices{};

  void start(std::vector<Body> const& bodies, double time_step) {
    indices.clear();
    worker.call(calls::start, {time_step});
    for (auto const& b : bodies) {
      auto const n = worker.call(calls::add, {b.m, b.x, b.y, b.z, b.vx, b.vy, b.vz});
      indices.push_back(static_cast<int>(n[0]));
    }
    worker.call(calls::commit);
  }
  Body body(int index) const {
    auto const n = worker.call(calls::state, {static_cast<double>(index)});
    return {n[0], n[1], n[2], n[3], n[4], n[5], n[6]};
  }
  double energy() const {
    auto const n = worker.call(calls::energy);
    return n[0] + n[1];
  }
};

/// Energy of the particles of one code in the field of another one.
double mutual_energy(Code const& code, Code const& other) {
  double sum = 0.0;
  for (int const index : code.indices) {
    auto const b = code.body(index);
    sum += b.m * other.worker.call(calls::field, {b.x, b.y, b.z})[6];
  }
  return sum;
}

/// Changes the velocities of each code in the field of the other one, for a time.
void kick(Code const& first, Code const& second, double time) {
  for (auto const& [code, other] : {std::pair{&first, &second}, std::pair{&second, &first}}) {
    for (int const index : code->indices) {
      auto const b = code->body(index);
      auto const n = other->worker.call(calls::field, {b.x, b.y, b.z});
      code->worker.call(calls::velocity, {static_cast<double>(index), b.vx + time * n[3],
                                          b.vy + time * n[4], b.vz + time * n[5]});
    }
    code->worker.call(calls::recommit);
  }
}

/// Largest relative error of the energy of a binary and two light bodies on orbits about it.
double bridge_error(RemoteWorker& first_worker, RemoteWorker& second_worker, double dt) {
  Code first{first_worker}, second{second_worker};
  double const v = std::sqrt(0.25 / 0.3);
  first.start({{0.5, 0.15, 0, 0, 0, v, 0}, {0.5, -0.15, 0, 0, 0, -v, 0}}, dt / 4);
  second.start({{0.02, 1, 0, 0, 0, 1, 0}, {0.01, 0, -1.5, 0, 0.8, 0, 0.1}}, dt / 2);
  auto const energy = [&] {
    return first.energy() + second.energy() + mutual_energy(second, first);
  };
  double const start = energy();
  double error = 0.0;
  int const steps = static_cast<int>(std::lround(2.0 / dt));
  for (int step = 1; step <= steps; ++step) {
    kick(first, second, dt / 2);
    first.worker.call(calls::evolve, {step * dt});
    second.worker.call(calls::evolve, {step * dt});
    kick(first, second, dt / 2);
    error = std::max(error, std::abs(energy() / start - 1.0));
  }
  return error;
}

RemoteWorker* first_worker;
RemoteWorker* second_worker;

}  // namespace

TEST_CASE("a bridge of two workers conserves energy to its second order") {
  double const coarse = bridge_error(*first_worker, *second_worker, 1.0 / 16);
  double const fine = bridge_error(*first_worker, *second_worker, 1.0 / 32);
  CAPTURE(coarse);
  CAPTURE(fine);
  CHECK(coarse < 2e-4);
  CHECK(coarse / fine > 3.0);
  CHECK(coarse / fine < 5.5);
}

int main(int argc, char** argv) {
  RemoteWorker first, second;
  first_worker = &first;
  second_worker = &second;
  doctest::Context context(argc, argv);
  return context.run();
}
