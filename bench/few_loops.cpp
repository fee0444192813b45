// SPDX-License-Identifier: Apache-2.0
#include "few_cost.hpp"
#include "integrators/composition.hpp"

#include <algorithm>
#include <cmath>

namespace apsis::benchmark {

namespace {

constexpr std::size_t most_bodies = 16;

using Vectors = double[most_bodies][3];

struct Arrays {
  std::size_t count;
  double mass[most_bodies];
  Vectors position, velocity;

  explicit Arrays(HostBodies const& bodies) : count(bodies.size()) {
    for (std::size_t i = 0; i < count; ++i) {
      mass[i] = bodies.mass[i];
      auto const &x = bodies.position[i], &v = bodies.velocity[i];
      position[i][0] = x.x, position[i][1] = x.y, position[i][2] = x.z;
      velocity[i][0] = v.x, velocity[i][1] = v.y, velocity[i][2] = v.z;
    }
  }
  void store(HostBodies& bodies) const {
    for (std::size_t i = 0; i < count; ++i) {
      bodies.position[i] = {position[i][0], position[i][1], position[i][2]};
      bodies.velocity[i] = {velocity[i][0], velocity[i][1], velocity[i][2]};
    }
  }
};

void clear(Vectors& vectors, std::size_t count) {
  std::fill_n(&vectors[0][0], 3 * count, 0.0);
}

void add(Vectors& y, double factor, Vectors const& rate, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    for (int axis = 0; axis < 3; ++axis) y[i][axis] += factor * rate[i][axis];
  }
}

void accelerate(Arrays const& s, Vectors& a) {
  clear(a, s.count);
  for (std::size_t i = 0; i < s.count; ++i) {
    for (std::size_t j = i + 1; j < s.count; ++j) {
      double d[3], r2 = 0.0;
      for (int axis = 0; axis < 3; ++axis) {
        d[axis] = s.position[j][axis] - s.position[i][axis];
        r2 += d[axis] * d[axis];
      }
      double const f = 1.0 / (r2 * std::sqrt(r2));
      for (int axis = 0; axis < 3; ++axis) {
        a[i][axis] += s.mass[j] * f * d[axis];
        a[j][axis] -= s.mass[i] * f * d[axis];
      }
    }
  }
}

void compose(integrators::Scheme const& scheme, HostBodies& bodies, double dt,
             std::uint64_t steps) {
  Arrays s(bodies);
  Vectors a;
  std::size_t const kicks = scheme.kick.size();
  bool const shares_kick = scheme.kicks_first();
  if (shares_kick) accelerate(s, a);
  for (std::uint64_t step = 0; step < steps; ++step) {
    for (std::size_t k = 0; k < kicks; ++k) {
      if (scheme.drift[k] != 0.0) add(s.position, dt * scheme.drift[k], s.velocity, s.count);
      if (!shares_kick || k > 0) accelerate(s, a);
      add(s.velocity, dt * scheme.kick[k], a, s.count);
    }
    if (scheme.drift[kicks] != 0.0) add(s.position, dt * scheme.drift[kicks], s.velocity, s.count);
  }
  s.store(bodies);
}

/// Acceleration, jerk and snap of all bodies (Nitadori & Makino 2008, equations 6 to 8).
struct Derivatives {
  Vectors a, j, s;

  void evaluate(Arrays const& state, Vectors const& acceleration) {
    clear(a, state.count), clear(j, state.count), clear(s, state.count);
    for (std::size_t i = 0; i < state.count; ++i) {
      for (std::size_t k = i + 1; k < state.count; ++k) {
        double d[3], v[3], b[3], r2 = 0, rv = 0, v2 = 0, rb = 0;
        for (int axis = 0; axis < 3; ++axis) {
          d[axis] = state.position[k][axis] - state.position[i][axis];
          v[axis] = state.velocity[k][axis] - state.velocity[i][axis];
          b[axis] = acceleration[k][axis] - acceleration[i][axis];
          r2 += d[axis] * d[axis], rv += d[axis] * v[axis];
          v2 += v[axis] * v[axis], rb += d[axis] * b[axis];
        }
        double const inverse2 = 1.0 / r2, f = inverse2 * std::sqrt(inverse2);
        double const alpha = rv * inverse2;
        double const beta = (v2 + rb) * inverse2 + alpha * alpha;
        for (int axis = 0; axis < 3; ++axis) {
          double const pa = f * d[axis], pj = f * v[axis] - 3.0 * alpha * pa;
          double const ps = f * b[axis] - 6.0 * alpha * pj - 3.0 * beta * pa;
          a[i][axis] += state.mass[k] * pa, a[k][axis] -= state.mass[i] * pa;
          j[i][axis] += state.mass[k] * pj, j[k][axis] -= state.mass[i] * pj;
          s[i][axis] += state.mass[k] * ps, s[k][axis] -= state.mass[i] * ps;
        }
      }
    }
  }
};

/// Hermite scheme of order 6 (Nitadori & Makino 2008), predicted with the last crackle.
void hermite6(HostBodies& bodies, double dt, std::uint64_t steps) {
  Arrays now(bodies), next(bodies);
  Derivatives before, after;
  Vectors crackle, acceleration;
  clear(crackle, now.count);
  accelerate(now, acceleration);
  before.evaluate(now, acceleration);
  double const h = dt;
  for (std::uint64_t step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < now.count; ++i) {
      for (int k = 0; k < 3; ++k) {
        double const x = now.position[i][k], v = now.velocity[i][k], c = crackle[i][k];
        double const a = before.a[i][k], j = before.j[i][k], s = before.s[i][k];
        next.position[i][k] = x + h * (v + h / 2 * (a + h / 3 * (j + h / 4 * (s + h / 5 * c))));
        next.velocity[i][k] = v + h * (a + h / 2 * (j + h / 3 * (s + h / 4 * c)));
        acceleration[i][k] = a + h * (j + h / 2 * (s + h / 3 * c));
      }
    }
    after.evaluate(next, acceleration);
    for (std::size_t i = 0; i < now.count; ++i) {
      for (int k = 0; k < 3; ++k) {
        double const a0 = before.a[i][k], j0 = before.j[i][k], s0 = before.s[i][k];
        double const a1 = after.a[i][k], j1 = after.j[i][k], s1 = after.s[i][k];
        double const v0 = now.velocity[i][k];
        double const v1 =
            v0 + h / 2 * (a0 + a1) + h * h / 10 * (j0 - j1) + h * h * h / 120 * (s0 + s1);
        now.position[i][k] +=
            h / 2 * (v0 + v1) + h * h / 10 * (a0 - a1) + h * h * h / 120 * (j0 + j1);
        now.velocity[i][k] = v1;
        // Third derivative of the interpolation polynomial of the acceleration at its end.
        crackle[i][k] =
            (60 * (a1 - a0) / h - (24 * j0 + 36 * j1) + h * (9 * s1 - 3 * s0)) / (h * h);
      }
    }
    std::swap(before, after);
  }
  now.store(bodies);
}

}  // namespace

std::optional<PlainLoop> plain_loop(std::string const& integrator) {
  if (integrator == "hermite6") return hermite6;
  for (auto const& scheme : integrators::schemes()) {
    auto const& names = scheme.names;
    if (std::find(names.begin(), names.end(), integrator) == names.end()) continue;
    return [&scheme](HostBodies& bodies, double dt, std::uint64_t steps) {
      compose(scheme, bodies, dt, steps);
    };
  }
  return std::nullopt;
}

}  // namespace apsis::benchmark
