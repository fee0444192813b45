// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/percentile.hpp"
#include "forces/fmm_or_direct.hpp"
#include "support/reference_force.hpp"
#include <apsis/bodies/transfer.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

/// Bodies, the solver `fmm`, and its errors.
namespace apsis::testing {

using PositionOf = std::function<Vec3<double>(std::size_t)>;

inline HostBodies make_bodies(std::size_t size, PositionOf const& position) {
  HostBodies bodies(size);
  for (std::size_t i = 0; i < size; ++i) {
    bodies.position[i] = position(i);
    bodies.mass[i] = 1.0 / static_cast<double>(size);
  }
  return bodies;
}

/// A Plummer sphere of scale radius 1, truncated at a large radius.
inline Vec3<double> in_plummer(std::mt19937_64& draw) {
  std::uniform_real_distribution<double> number(0.0, 1.0);
  double r = 100.0;
  while (r > 22.8) r = 1.0 / std::sqrt(std::pow(number(draw), -2.0 / 3.0) - 1.0);
  double const z = 2.0 * number(draw) - 1.0, angle = 6.283185307179586 * number(draw);
  double const s = std::sqrt(1.0 - z * z);
  return {r * s * std::cos(angle), r * s * std::sin(angle), r * z};
}

inline HostBodies plummer(std::size_t size) {
  std::mt19937_64 draw(1);
  return make_bodies(size, [&](std::size_t) { return in_plummer(draw); });
}

/// Results for all bodies.
struct Outcome {
  std::vector<Vec3<double>> acceleration;
  std::vector<double> potential;

  bool operator==(Outcome const& other) const {
    auto const same = [](Vec3<double> const& a, Vec3<double> const& b) {
      return a.x == b.x && a.y == b.y && a.z == b.z;
    };
    return potential == other.potential &&
           std::equal(acceleration.begin(), acceleration.end(), other.acceleration.begin(),
                      other.acceleration.end(), same);
  }
};

template <class Number>
struct Run {
  using Stored = typename Number::Stored;
  ExecutionSpace space;
  Bodies<Stored> bodies;
  Column<double> potential;
  forces::FmmOrDirect<Number> solver;

  Run(HostBodies const& host, forces::Gravity const& gravity,
      forces::FmmOptions const& options = {})
      : bodies(to_device<Stored>(space, host)),
        potential("apsis::testing::potential", host.size()),
        solver(gravity, options) {}

  Outcome evaluate(bool with_potential = true) {
    Kokkos::deep_copy(bodies.acceleration, Stored(-77));
    Kokkos::deep_copy(potential, -77.0);
    solver.evaluate(space, forces::accelerations_of(bodies, with_potential ? &potential : nullptr));
    space.fence();
    Outcome result;
    auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), bodies.acceleration);
    auto const p = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), potential);
    for (std::size_t i = 0; i < a.extent(0); ++i) {
      result.acceleration.push_back({static_cast<double>(a(i, 0)), static_cast<double>(a(i, 1)),
                                     static_cast<double>(a(i, 2))});
      result.potential.push_back(p(i));
    }
    return result;
  }
};

struct Errors {
  double p99, worst, potential;  ///< 99th percentile, largest, and largest of the potentials
  double momentum;               ///< momentum change, relative to the sum of the forces
};

/// NaN counts as an infinite error.
inline double nan_to_infinity(double error) {
  return std::isnan(error) ? HUGE_VAL : error;
}

inline Errors errors_of(Outcome const& outcome, HostBodies const& bodies,
                        forces::Gravity const& gravity) {
  ReferenceForce const exact(bodies, gravity.G, gravity.softening, gravity.softening_kernel);
  std::vector<double> errors;
  Errors result{};
  double sum[3] = {}, size = 0.0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    auto const& a = outcome.acceleration[i];
    auto const& b = exact.acceleration[i];
    double const d = std::hypot(a.x - b.x, a.y - b.y, a.z - b.z),
                 size_of_exact = std::hypot(b.x, b.y, b.z);
    errors.push_back(d == 0.0 ? 0.0 : nan_to_infinity(d / size_of_exact));
    double const difference = std::abs(outcome.potential[i] - exact.potential[i]);
    result.potential = std::max(
        result.potential,
        difference == 0.0 ? 0.0 : nan_to_infinity(difference / std::abs(exact.potential[i])));
    sum[0] += bodies.mass[i] * a.x;
    sum[1] += bodies.mass[i] * a.y;
    sum[2] += bodies.mass[i] * a.z;
    size += bodies.mass[i] * std::hypot(a.x, a.y, a.z);
  }
  std::sort(errors.begin(), errors.end());
  if (errors.empty()) return result;
  result.p99 = percentile(errors, 0.99);
  result.worst = errors.back();
  result.momentum = size == 0.0 ? 0.0 : nan_to_infinity(std::hypot(sum[0], sum[1], sum[2]) / size);
  return result;
}

}  // namespace apsis::testing
