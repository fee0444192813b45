// SPDX-License-Identifier: Apache-2.0
#include "integrators/planetary/kepler_step.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

using namespace apsis;
using namespace apsis::integrators;

namespace {

/// One body on an orbit and the time to advance.
struct Motion {
  double x[3], v[3], mu, dt;
};

/// Advances up to orbit_lanes bodies; further lanes repeat the last one.
std::vector<Motion> stepped(std::vector<Motion> motions) {
  OrbitLanes x[3]{}, v[3]{}, mu{}, dt{};
  auto const number = [&](int lane) {
    return std::min(static_cast<std::size_t>(lane), motions.size() - 1);
  };
  for (int lane = 0; lane < orbit_lanes; ++lane) {
    auto const& motion = motions[number(lane)];
    for (int axis = 0; axis < 3; ++axis) {
      simd::set_lane<double>(x[axis], lane, motion.x[axis]);
      simd::set_lane<double>(v[axis], lane, motion.v[axis]);
    }
    simd::set_lane<double>(mu, lane, motion.mu);
    simd::set_lane<double>(dt, lane, motion.dt);
  }
  kepler_step(x, v, mu, dt);
  for (int lane = 0; lane < orbit_lanes; ++lane) {
    auto& motion = motions[number(lane)];
    for (int axis = 0; axis < 3; ++axis) {
      motion.x[axis] = simd::lane<double>(x[axis], lane);
      motion.v[axis] = simd::lane<double>(v[axis], lane);
    }
  }
  return motions;
}

Motion stepped(Motion const& motion) {
  return stepped(std::vector<Motion>{motion}).front();
}

using Long = long double;
bool const long_is_longer = std::numeric_limits<Long>::digits > std::numeric_limits<double>::digits;

/// Reference: the same universal equation in long double, by bisection and Newton's method.
struct Reference {
  Long c0, c1, c2, c3;

  void set_stumpff(Long z) {
    int quarterings = 0;
    for (; std::abs(z) > 0.05L; z /= 4) ++quarterings;
    c2 = c3 = 0;
    Long even = 0.5L, odd = 1 / 6.0L;
    for (int k = 0; k < 16; ++k) {
      c2 += even;
      c3 += odd;
      even *= -z / ((2 * k + 3) * (2 * k + 4));
      odd *= -z / ((2 * k + 4) * (2 * k + 5));
    }
    c1 = 1 - z * c3;
    c0 = 1 - z * c2;
    for (; quarterings > 0; --quarterings) {
      z *= 4;
      c3 = (c2 + c0 * c3) / 4;
      c2 = c1 * c1 / 2;
      c1 = 1 - z * c3;
      c0 = 1 - z * c2;
    }
  }

  std::vector<Long> position(Motion const& motion, Long change = 0) {
    Long x[3], v[3], r0 = 0, v_squared = 0, eta = 0;
    for (int axis = 0; axis < 3; ++axis) {
      x[axis] = motion.x[axis] * (1 + change);
      v[axis] = motion.v[axis] * (1 - change);
      r0 += x[axis] * x[axis];
      v_squared += v[axis] * v[axis];
      eta += x[axis] * v[axis];
    }
    r0 = std::sqrt(r0);
    Long const mu = motion.mu, beta = 2 * mu / r0 - v_squared;
    Long time = motion.dt * (1 + change);
    if (beta > 0) {
      Long const period = 2 * std::numbers::pi_v<Long> * mu / (beta * std::sqrt(beta));
      time -= std::rint(time / period) * period;
    }
    int const sign = time < 0 ? -1 : 1;
    Long r = r0;
    auto const missing = [&](Long s) {
      set_stumpff(beta * s * s);
      r = r0 * c0 + eta * s * c1 + mu * s * s * c2;
      return sign * (r0 * s * c1 + eta * s * s * c2 + mu * s * s * s * c3 - time);
    };
    Long low = 0, high = std::abs(time) / r0;
    if (beta < 0) high = std::min(high, 1 / std::sqrt(-beta));
    while (missing(sign * high) < 0) {
      low = high;
      high *= 2;
    }
    Long s = high;
    for (int i = 0; i < 300; ++i) {
      Long const f = missing(sign * s);
      (f > 0 ? high : low) = s;
      Long next = s - f / r;
      if (!(next > low && next < high)) next = (low + high) / 2;
      bool const is_found = std::abs(next - s) <= 1e-19L * next;
      s = next;
      if (is_found) break;
    }
    missing(sign * s);
    Long const f = -mu * s * s * c2 / r0, g = time - mu * sign * s * s * s * c3;
    std::vector<Long> result;
    for (int axis = 0; axis < 3; ++axis) result.push_back(x[axis] + (f * x[axis] + g * v[axis]));
    return result;
  }
};

Long distance(std::vector<Long> const& a, std::vector<Long> const& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// Orbits of one class: eccentricities, and log10 of the times in units of 2 pi sqrt(q^3 / mu) (ten
/// times as long for 0.9 < e < 1).
struct OrbitClass {
  std::string name;
  double smallest, largest;  ///< eccentricity; log10(1 - e) if negative
  double shortest, longest;
  double limit;  ///< of the relative error of the position
  bool is_radial = false;
};

class RandomOrbits {
 public:
  Motion operator()(OrbitClass const& kind) {
    if (kind.is_radial) return radial(kind);
    double e = kind.smallest + (kind.largest - kind.smallest) * uniform();
    if (kind.smallest < 0.0) e = 1.0 - std::pow(10.0, e);
    double const q = std::pow(10.0, -2.0 + 3.0 * uniform());
    double const mu = std::pow(10.0, -1.0 + 2.0 * uniform());
    double const angle = e < 1.0 ? 2.0 * std::numbers::pi * uniform()
                                 : (2.0 * uniform() - 1.0) * 0.95 * std::acos(-1.0 / e);
    double const r = q * (1.0 + e) / (1.0 + e * std::cos(angle));
    double const speed = std::sqrt(mu / (q * (1.0 + e)));
    Motion motion{};
    motion.mu = mu;
    turned(motion.x, r * std::cos(angle), r * std::sin(angle));
    turned(motion.v, -speed * std::sin(angle), speed * (e + std::cos(angle)));
    double const unit =
        2.0 * std::numbers::pi * std::sqrt(q * q * q / mu) * (e < 1.0 && e > 0.9 ? 10.0 : 1.0);
    motion.dt = (uniform() < 0.5 ? -1.0 : 1.0) * unit * length(kind);
    node_ = 6.0 * uniform();
    inclination_ = 3.0 * uniform();
    return motion;
  }

 private:
  double uniform() { return static_cast<double>(generator_() >> 11) * 0x1p-53; }
  double length(OrbitClass const& kind) {
    return std::pow(10.0, kind.shortest + (kind.longest - kind.shortest) * uniform());
  }
  void turned(double (&result)[3], double x, double y) const {
    double const tilted = y * std::cos(inclination_);
    result[0] = std::cos(node_) * x - std::sin(node_) * tilted;
    result[1] = std::sin(node_) * x + std::cos(node_) * tilted;
    result[2] = y * std::sin(inclination_);
  }
  Motion radial(OrbitClass const& kind) {
    double const r = std::pow(10.0, -2.0 + 3.0 * uniform());
    double const mu = std::pow(10.0, -1.0 + 2.0 * uniform());
    double const speed = -std::sqrt(2.0 * mu / r) * (0.2 + 1.5 * uniform());
    double const dt = r / -speed * length(kind);
    return {{0.6 * r, 0.8 * r, 0.0}, {0.6 * speed, 0.8 * speed, 0.0}, mu, dt};
  }

  std::mt19937_64 generator_{7};
  double node_ = 0.7, inclination_ = 0.4;
};

OrbitClass const classes[]{
    {"e < 0.1", 0.0, 0.1, -4, 2, 1e-12},
    {"e 0.1 to 0.9", 0.1, 0.9, -4, 2, 3e-12},
    {"e 0.9 to 0.99", 0.9, 0.99, -4, 1, 3e-12},
    {"e 0.99 to 0.9999", 0.99, 0.9999, -4, 1, 2e-13},
    {"1 - e 1e-6 to 1e-8", -6, -8, -4, 0, 5e-14},
    {"parabola", 1.0, 1.0, -4, 1, 7e-14},
    {"e 1.0001 to 1.1", 1.0001, 1.1, -4, 2, 1e-13},
    {"e 1.1 to 1.5", 1.1, 1.5, -4, 2, 2e-13},
    {"e 1.5 to 10", 1.5, 10.0, -4, 3, 2e-13},
    {"e 10 to 100", 10.0, 100.0, -4, 3, 5e-14},
    {"e 1e2 to 1e4", 1e2, 1e4, -4, 3, 1e-14},
    {"radial", 1.0, 1.0, -4, -0.6, 6e-15, true},
};

Motion circular(double dt) {
  return {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, 1.0, dt};
}

double largest_difference(Motion const& a, Motion const& b) {
  double worst = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    worst = std::max({worst, std::abs(a.x[axis] - b.x[axis]), std::abs(a.v[axis] - b.v[axis])});
  }
  return worst;
}

bool is_finite(Motion const& motion) {
  bool result = true;
  for (int axis = 0; axis < 3; ++axis) {
    result = result && std::isfinite(motion.x[axis]) && std::isfinite(motion.v[axis]);
  }
  return result;
}

}  // namespace

TEST_CASE("the Kepler step has the errors of rounding for every kind of orbit") {
  if (!long_is_longer) return;
  RandomOrbits orbits;
  for (auto const& kind : classes) {
    CAPTURE(kind.name);
    double worst = 0.0, worst_by_condition = 0.0;
    bool all_finite = true;
    for (int packs = 0; packs < 1500 * 8 / (4 * orbit_lanes); ++packs) {
      std::vector<Motion> start;
      for (int lane = 0; lane < orbit_lanes; ++lane) start.push_back(orbits(kind));
      auto const end = stepped(start);
      for (std::size_t i = 0; i < start.size(); ++i) {
        all_finite = all_finite && is_finite(end[i]);
        Reference reference;
        auto const expected = reference.position(start[i]);
        Long const size = std::hypot(expected[0], expected[1], expected[2]);
        // Error that a relative change of 1.1e-16 of the input makes.
        Long const change = 1e-10L;
        auto const moved = reference.position(start[i], change);
        Long const condition = distance(moved, expected) / size / change * 1.1e-16L;
        Long const error = distance({end[i].x[0], end[i].x[1], end[i].x[2]}, expected) / size;
        worst = std::max(worst, static_cast<double>(error));
        worst_by_condition = std::max(worst_by_condition,
                                      static_cast<double>(error / std::max(condition, 2.2e-16L)));
      }
    }
    CHECK(all_finite);
    CHECK(worst < kind.limit);
  }
}

TEST_CASE("the Kepler step over a period is the identity, and t and -t cancel") {
  double const period = 2.0 * std::numbers::pi;
  auto const start = circular(period);
  CHECK(largest_difference(stepped(start), start) < 1e-14);
  Motion eccentric{{1.9, 0.0, 0.0}, {0.0, std::sqrt(0.1 / 1.9), 0.0}, 1.0, period};
  CHECK(largest_difference(stepped(eccentric), eccentric) < 1e-14);
  CHECK(largest_difference(stepped(circular(1e6 * period)), start) < 1e-8);
  for (double const dt : {1e-9, 0.1, 1.0, 3.0, -2.0}) {
    CAPTURE(dt);
    for (double const speed : {0.3, 1.0, 1.2, std::sqrt(2.0), 2.0}) {
      CAPTURE(speed);
      Motion motion{{1.0, 0.0, 0.0}, {0.1, speed, 0.2}, 1.0, dt};
      auto back = stepped(motion);
      back.dt = -dt;
      CHECK(largest_difference(stepped(back), motion) < 1e-14 * std::max(1.0, 1.0 / speed / speed));
    }
  }
}

TEST_CASE("each lane of the Kepler step is independent of its neighbours") {
  if (orbit_lanes == 1) return;
  RandomOrbits orbits;
  std::vector<Motion> mixed;
  for (int lane = 0; lane < orbit_lanes; ++lane) {
    mixed.push_back(orbits(classes[static_cast<std::size_t>(lane) % std::size(classes)]));
  }
  // A hyperbola with hundreds of quarterings of its argument, and a radial orbit.
  mixed[1] = {{1e-3, 0.0, 0.0}, {1e2, 2e2, 0.0}, 1.0, 1e6};
  auto const together = stepped(mixed);
  for (std::size_t i = 0; i < mixed.size(); ++i) {
    CAPTURE(i);
    CHECK(largest_difference(together[i], stepped(mixed[i])) == 0.0);
  }
}

TEST_CASE("the Kepler step of extreme orbits is finite") {
  for (double const dt : {0.0, 1e-300, 1e-8, 1.0, 1e8, -1e8}) {
    CAPTURE(dt);
    for (double const speed : {0.0, 1e-12, 1.0, std::sqrt(2.0), 1e3, 1e8}) {
      CAPTURE(speed);
      CHECK(is_finite(stepped(Motion{{1.0, 0.0, 0.0}, {0.0, speed, 0.0}, 1.0, dt})));
      CHECK(is_finite(stepped(Motion{{1.0, 0.0, 0.0}, {-speed, 0.0, 0.0}, 1.0, dt})));
    }
  }
}
