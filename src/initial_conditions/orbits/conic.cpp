// SPDX-License-Identifier: Apache-2.0
#include "initial_conditions/orbit.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace apsis::initial_conditions {

namespace {

constexpr double radians_per_degree = std::numbers::pi / 180.0;

/// Universal functions G_k = s^k c_k(beta s^2) (Danby 1992, section 6.9).
struct UniversalFunctions {
  double g0, g1, g2, g3;
};

UniversalFunctions universal_functions(double beta, double s) {
  double const x = beta * s * s;
  if (std::abs(x) < 1.0) {
    // c_k(x) = 1/k! - x/(k+2)! + x^2/(k+4)! ...; below 1 eleven terms are exact to rounding.
    double c2 = 0.0, c3 = 0.0, term2 = 0.5, term3 = 1.0 / 6.0;
    for (int k = 0; k < 11; ++k) {
      c2 += term2;
      c3 += term3;
      term2 *= -x / ((2 * k + 3) * (2 * k + 4));
      term3 *= -x / ((2 * k + 4) * (2 * k + 5));
    }
    return {1.0 - x * c2, s * (1.0 - x * c3), s * s * c2, s * s * s * c3};
  }
  double const root = std::sqrt(std::abs(beta));
  double const angle = root * s;
  bool const is_ellipse = beta > 0.0;
  double const half = is_ellipse ? std::sin(0.5 * angle) : std::sinh(0.5 * angle);
  double const g1 = (is_ellipse ? std::sin(angle) : std::sinh(angle)) / root;
  return {is_ellipse ? std::cos(angle) : std::cosh(angle), g1, 2.0 * half * half / std::abs(beta),
          (s - g1) / beta};
}

/// A conic in its own plane. With the pericentre as the origin of time, r0 = q and r0 . v0 = 0.
class PlaneConic {
 public:
  PlaneConic(Conic const& conic, double gravity)
      : q_(conic.pericentre),
        e_(conic.eccentricity),
        mu_(gravity),
        beta_(gravity * (1.0 - conic.eccentricity) / conic.pericentre),
        speed_(std::sqrt(gravity * (1.0 + conic.eccentricity) / conic.pericentre)) {}

  double beta() const { return beta_; }  ///< mu / a [length^2 / time^2]
  /// Mean motion of an ellipse or hyperbola [1 / time].
  double mean_motion() const { return std::abs(beta_) * std::sqrt(std::abs(beta_)) / mu_; }

  /// State at the universal anomaly s, with the pericentre on the +x axis.
  OrbitalState state_at(double s) const {
    auto const g = universal_functions(beta_, s);
    double const r = radius(g);
    return {{q_ - mu_ * g.g2, q_ * speed_ * g.g1, 0.0},
            {-mu_ * g.g1 / r, speed_ * q_ * g.g0 / r, 0.0}};
  }

  /// Solves Kepler's equation t = q s + mu e G3(s) for s. The right side increases with the slope
  /// r > 0. Bisection bounds Newton's method.
  double anomaly_at(double time) const {
    double const t = std::abs(time);
    double low = 0.0, high = upper_bound_at(t);
    double s = high;
    for (int iteration = 0; iteration < 200; ++iteration) {
      auto const g = universal_functions(beta_, s);
      double const error = q_ * s + mu_ * e_ * g.g3 - t;
      (error > 0.0 ? high : low) = s;
      double next = s - error / radius(g);
      if (!(next >= low && next <= high)) next = 0.5 * (low + high);
      if (std::abs(next - s) <= 2e-16 * s) {
        s = next;
        break;
      }
      s = next;
    }
    return std::copysign(s, time);
  }

 private:
  /// Upper bound of the anomaly at a time >= 0: t >= q s; and G3 >= s^3 / 6 unless the orbit is an
  /// ellipse, whose s is below 2 pi / root.
  double upper_bound_at(double time) const {
    double const root = std::sqrt(std::abs(beta_));
    double const bound = time / q_;
    if (beta_ > 0.0) return std::min(bound, 2.0 * std::numbers::pi / root);
    double s = std::min(bound, std::cbrt(6.0 * time / (mu_ * e_)));
    if (beta_ == 0.0) return s;
    // M = e sinh H - H with H = root s: the fixed-point iteration preserves upper bounds.
    double const mean = mean_motion() * time;
    for (int i = 0; i < 4; ++i) s = std::min(s, std::asinh((mean + root * s) / e_) / root);
    return s;
  }

  double radius(UniversalFunctions const& g) const { return q_ + mu_ * e_ * g.g2; }

  double q_, e_, mu_, beta_;
  double speed_;  ///< at pericentre
};

OrbitalState turned(Conic const& conic, OrbitalState const& state) {
  Rotation const rotation(conic.node, conic.inclination, conic.argument);
  return {rotation(state.position), rotation(state.velocity)};
}

}  // namespace

OrbitalState state_after_pericentre(Conic const& conic, double time, double gravity) {
  PlaneConic const plane(conic, gravity);
  if (plane.beta() > 0.0) {
    double const period = 2.0 * std::numbers::pi / plane.mean_motion();
    if (std::isfinite(period)) time = std::remainder(time, period);
  }
  return turned(conic, plane.state_at(plane.anomaly_at(time)));
}

OrbitalState state_at_true_anomaly(Conic const& conic, double degrees, double gravity) {
  double const e = conic.eccentricity;
  auto const [sine, cosine] = sine_cosine(degrees);
  double const parameter = conic.pericentre * (1.0 + e);
  double const r = parameter / (1.0 + e * cosine);
  double const speed = std::sqrt(gravity / parameter);
  return turned(conic, {{r * cosine, r * sine, 0.0}, {-speed * sine, speed * (e + cosine), 0.0}});
}

OrbitalState state_at_eccentric_anomaly(Conic const& conic, double degrees, double gravity) {
  PlaneConic const plane(conic, gravity);
  double const angle = std::remainder(degrees, 360.0) * radians_per_degree;
  return turned(conic, plane.state_at(angle / std::sqrt(plane.beta())));
}

OrbitalState state_at_mean_anomaly(Conic const& conic, double degrees, double gravity) {
  PlaneConic const plane(conic, gravity);
  double const angle = plane.beta() > 0.0 ? std::remainder(degrees, 360.0) : degrees;
  double const time = angle * radians_per_degree / plane.mean_motion();
  return turned(conic, plane.state_at(plane.anomaly_at(time)));
}

double axis_of_period(double period, double gravity) {
  double const rate = 2.0 * std::numbers::pi / period;
  return std::cbrt(gravity / (rate * rate));
}

}  // namespace apsis::initial_conditions
