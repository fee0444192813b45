// SPDX-License-Identifier: Apache-2.0
#include "integrators/stepped_run.hpp"
#include "integrators/tangent_flow.hpp"
#include "support/relative.hpp"
#include "support/sample_bodies.hpp"
#include "support/suites.hpp"
#include <apsis/forces/direct.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

using namespace apsis;
using namespace apsis::integrators;
using namespace apsis::testing;

namespace {

using Run = SteppedRun<forces::Direct<forces::Double>>;

using Wide = long double;

/// Phase space of a few bodies in long double: position and velocity of each.
struct Phase {
  std::vector<Wide> mass;
  std::vector<Vec3<Wide>> position, velocity;

  explicit Phase(HostBodies const& host) : mass(host.mass.begin(), host.mass.end()) {
    for (auto const& x : host.position) position.push_back({x.x, x.y, x.z});
    for (auto const& v : host.velocity) velocity.push_back({v.x, v.y, v.z});
  }

  void drift(Wide dt) {
    for (std::size_t i = 0; i < mass.size(); ++i) position[i] += dt * velocity[i];
  }
  std::vector<Vec3<Wide>> accelerations(Wide softening) const {
    std::vector<Vec3<Wide>> result(mass.size());
    for (std::size_t i = 0; i < mass.size(); ++i) {
      for (std::size_t j = 0; j < mass.size(); ++j) {
        if (j == i) continue;
        auto const r = position[j] - position[i];
        Wide const squared = dot(r, r) + softening * softening;
        result[i] += mass[j] / (squared * std::sqrt(squared)) * r;
      }
    }
    return result;
  }
  void kick(Wide dt, Wide softening) {
    auto const a = accelerations(softening);
    for (std::size_t i = 0; i < mass.size(); ++i) velocity[i] += dt * a[i];
  }
};

/// Drift-kick-drift leapfrog steps in long double.
void leapfrog(Phase& phase, Wide dt, int steps, Wide softening) {
  for (int n = 0; n < steps; ++n) {
    phase.drift(dt / 2);
    phase.kick(dt, softening);
    phase.drift(dt / 2);
  }
}

/// Runge-Kutta steps of order 4 in long double.
void runge_kutta(Phase& phase, Wide dt, int steps, Wide softening) {
  std::size_t const count = phase.mass.size();
  for (int n = 0; n < steps; ++n) {
    auto const start = phase;
    std::vector<Vec3<Wide>> x(count), v(count);
    Wide const fraction[4] = {0, dt / 2, dt / 2, dt}, weight[4] = {1, 2, 2, 1};
    auto stage = start;
    std::vector<Vec3<Wide>> dx(count), dv(count);
    for (int k = 0; k < 4; ++k) {
      for (std::size_t i = 0; i < count; ++i) {
        stage.position[i] = start.position[i] + fraction[k] * dx[i];
        stage.velocity[i] = start.velocity[i] + fraction[k] * dv[i];
      }
      dx = stage.velocity;
      dv = stage.accelerations(softening);
      for (std::size_t i = 0; i < count; ++i) {
        x[i] += weight[k] * dx[i];
        v[i] += weight[k] * dv[i];
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      phase.position[i] = start.position[i] + dt / 6 * x[i];
      phase.velocity[i] = start.velocity[i] + dt / 6 * v[i];
    }
  }
}

/// Largest difference between a tangent vector and the central difference of order 4 of a flow in
/// long double along its first direction, over the largest component.
double difference_to_finite_differences(TangentFlow& tangent, Displacements const& first_position,
                                        Displacements const& first_velocity, HostBodies const& host,
                                        std::function<void(Phase&)> const& flow) {
  constexpr Wide h = 1e-5L;
  constexpr Wide offset[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
  auto const widened = [](Vec3<double> const& u) { return Vec3<Wide>{u.x, u.y, u.z}; };
  std::vector<Vec3<Wide>> position(host.size()), velocity(host.size());
  for (int k = 0; k < 4; ++k) {
    Phase end(host);
    for (std::size_t i = 0; i < host.size(); ++i) {
      end.position[i] += offset[k] * h * widened(first_position[i]);
      end.velocity[i] += offset[k] * h * widened(first_velocity[i]);
    }
    flow(end);
    for (std::size_t i = 0; i < host.size(); ++i) {
      position[i] += weight[k] / (12 * h) * end.position[i];
      velocity[i] += weight[k] / (12 * h) * end.velocity[i];
    }
  }
  Wide difference = 0, size = 0;
  auto const compare = [&](Vec3<Wide> const& slope, Vec3<double> const& u) {
    difference = std::max(
        {difference, std::abs(slope.x - u.x), std::abs(slope.y - u.y), std::abs(slope.z - u.z)});
    size = std::max({size, std::abs(slope.x), std::abs(slope.y), std::abs(slope.z)});
  };
  for (std::size_t i = 0; i < host.size(); ++i) {
    compare(position[i], tangent.position()[i]);
    compare(velocity[i], tangent.velocity()[i]);
  }
  return static_cast<double>(difference / size);
}

/// Bodies of which one is massless.
HostBodies four_bodies() {
  auto host = sample_bodies(4);
  host.mass[2] = 0.0;
  return host;
}

/// A star with two planets at a ratio of their axes, on circular orbits in one plane.
HostBodies two_planets(double mass, double ratio) {
  HostBodies host(3);
  host.mass = {1.0, mass, mass};
  host.position = {{0, 0, 0}, {1, 0, 0}, {-ratio, 0, 0}};
  host.velocity = {{0, 0, 0}, {0, 1, 0}, {0, -1 / std::sqrt(ratio), 0}};
  return host;
}

}  // namespace

TEST_CASE("gradients of the acceleration agree with central differences for every softening") {
  ExecutionSpace const space;
  using forces::SofteningKernel;
  for (auto const kernel : {SofteningKernel::none, SofteningKernel::plummer,
                            SofteningKernel::spline, SofteningKernel::wendland_c2}) {
    forces::Gravity const gravity{1.5, kernel == SofteningKernel::none ? 0.0 : 0.5, kernel};
    forces::Direct<forces::Double> solver(gravity);
    auto const host = four_bodies();
    TangentFlow const tangent(4, gravity, 7);
    auto const direction = TangentFlow(tangent).position();
    double const h = 1e-5;
    auto const accelerations = [&](double sign) {
      auto moved = host;
      for (std::size_t i = 0; i < 4; ++i) moved.position[i] += sign * h * direction[i];
      auto const bodies = to_device<double>(space, moved);
      solver.evaluate(space, forces::accelerations_of(bodies));
      space.fence();
      return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bodies.acceleration);
    };
    auto const low = accelerations(-1.0), high = accelerations(1.0);
    PairGradients gradients;
    Displacements result;
    gradients.set(space, to_device<double>(space, host), gravity);
    gradients.apply(direction, result);
    for (std::size_t i = 0; i < 4; ++i) {
      CAPTURE(static_cast<int>(kernel));
      double const components[3] = {result[i].x, result[i].y, result[i].z};
      for (int axis = 0; axis < 3; ++axis) {
        double const slope = (high(i, axis) - low(i, axis)) / (2 * h);
        CHECK(std::abs(components[axis] - slope) < 1e-8);
      }
    }
  }
}

TEST_CASE("the tangent map of a composition is the derivative of its steps") {
  double const dt = 0.01, softening = 0.25;
  int const steps = 40;
  auto const host = four_bodies();
  Run run("leapfrog_dkd", stepping("fixed", 1.0), host, softening, dt);
  TangentFlow tangent(4, run.solver.gravity(), 3);
  auto const position = tangent.position(), velocity = tangent.velocity();
  run.stepper->set_tangent(&tangent);
  run.advance(steps, dt);
  CHECK(difference_to_finite_differences(tangent, position, velocity, host, [&](Phase& phase) {
          leapfrog(phase, dt, steps, softening);
        }) < 1e-11);
}

TEST_CASE("tangent vectors of all schemes solve the variational equations") {
  double const time = 0.4, softening = 0.25;
  auto const host = four_bodies();
  auto const check = [&](std::string const& name, Values const& steps, std::size_t extra,
                         int advances, double bound) {
    CAPTURE(name);
    CAPTURE(extra);
    auto bodies = host;
    // Massless bodies outside, so that other memory layouts of gauss_radau15 are used.
    for (std::size_t k = 0; k < extra; ++k) {
      bodies.mass.push_back(0.0);
      bodies.position.push_back({5.0 + 0.3 * static_cast<double>(k), 1.0, -2.0});
      bodies.velocity.push_back({0.1, 0.0, 0.2});
      bodies.id.push_back(4 + k);
    }
    double const dt = time / advances;
    Run run(name, steps, bodies, softening, dt);
    TangentFlow tangent(bodies.size(), run.solver.gravity(), 3);
    auto const position = tangent.position(), velocity = tangent.velocity();
    run.stepper->set_tangent(&tangent);
    run.advance(advances, dt);
    CHECK(difference_to_finite_differences(tangent, position, velocity, bodies, [&](Phase& phase) {
            runge_kutta(phase, time / 2000, 2000, softening);
          }) < bound);
  };
  auto const own_steps = stepping("own", 1.0);
  check("gauss_radau15", own_steps, 0, 2, 1e-11);
  check("gauss_radau15", own_steps, 16, 2, 1e-11);
  check("blanes_casas8", stepping("fixed", 1.0), 0, 100, 1e-11);
  check("leapfrog_kdk", stepping("fixed", 1.0), 0, 1000, 1e-5);
  check("leapfrog_kdk", stepping("adaptive", 1e-5, "softened_acceleration"), 0, 1, 1e-5);
}

TEST_CASE("bodies have the same bits with and without a tangent vector" * testing::thread_counts) {
  auto const host = four_bodies();
  auto const own_steps = stepping("own", 1.0);
  for (auto const* name : {"gauss_radau15", "leapfrog_kdk", "leapfrog_dkd", "blanes_moan6"}) {
    for (bool const compensated : {false, true}) {
      CAPTURE(name);
      auto const steps = integrator(name).has_own_steps() ? own_steps : stepping("fixed", 1.0);
      Run alone(name, steps, host, 0.1, 0.05, compensated);
      Run watched(name, steps, host, 0.1, 0.05, compensated);
      TangentFlow tangent(4, watched.solver.gravity(), 1);
      watched.stepper->set_tangent(&tangent);
      alone.advance(50, 0.05);
      watched.advance(50, 0.05);
      CHECK(same_bits(alone.host(), watched.host()));
      CHECK(alone.stepper->steps() == watched.stepper->steps());
      CHECK(tangent.megno().lyapunov_exponent != 0.0);
    }
  }
}

TEST_CASE(
    "MEGNO is 2 for growth in proportion to time, and grows linearly with exponential growth") {
  MegnoSum linear, exponential;
  double const dt = 0.01, rate = 0.3;
  CHECK(linear.value().megno == 0.0);
  for (int k = 0; k < 1000000; ++k) {
    linear.add(-dt, std::log1p(dt / (1.0 + k * dt)));
    exponential.add(dt, rate * dt);
  }
  // |d| = 1 + t: Y = 2 - 2 ln(1 + t) / t, to the error of the sum.
  double const t = 1e4;
  CHECK(linear.value().megno == approximately(2.0 - 2.0 * std::log1p(t) / t, 1e-6));
  CHECK(linear.value().mean == approximately(2.0, 5e-3));
  CHECK(linear.value().lyapunov_exponent == approximately(std::log1p(t) / t, 1e-9));
  CHECK(exponential.value().megno == approximately(rate * t, 1e-9));
  CHECK(exponential.value().mean == approximately(0.5 * rate * t, 1e-6));
  CHECK(exponential.value().lyapunov_exponent == approximately(rate, 1e-9));
}

TEST_CASE("planets beyond the bound of Hill stability are regular, close ones chaotic" *
          expensive) {
  // Gladman 1993, Icarus 106, 247: stable for a2 / a1 - 1 > 2.4 (m1 + m2)^(1/3) = 0.065.
  double const time = 3000.0, dt = 0.1;
  auto const evolve = [&](double ratio) {
    Run run("blanes_moan4", stepping("fixed", 1.0), two_planets(1e-5, ratio), 0.0, dt);
    TangentFlow tangent(3, run.solver.gravity(), 5);
    run.stepper->set_tangent(&tangent);
    run.advance(static_cast<int>(0.5 * time / dt), dt);
    double const halfway = tangent.megno().mean;
    run.advance(static_cast<int>(0.5 * time / dt), dt);
    return std::array<double, 3>{halfway, tangent.megno().mean, tangent.megno().lyapunov_exponent};
  };
  auto const regular = evolve(1.5);
  CHECK(std::abs(regular[1] - 2.0) < 0.05);
  // A single chaotic orbit depends on rounding: its growth rate varies by a factor. Several orbits
  // are judged by their mean.
  std::array<double, 3> chaotic{};
  std::array const ratios{1.056, 1.058, 1.06, 1.062, 1.064};
  for (double const ratio : ratios) {
    auto const orbit = evolve(ratio);
    CHECK(orbit[1] > 10.0);
    for (std::size_t k = 0; k < 3; ++k) chaotic[k] += orbit[k] / ratios.size();
  }
  CHECK(chaotic[1] > 1.5 * chaotic[0]);
  CHECK(std::abs(chaotic[1] / (0.5 * chaotic[2] * time) - 1.0) < 0.3);
}
