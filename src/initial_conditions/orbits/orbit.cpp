// SPDX-License-Identifier: Apache-2.0
#include "initial_conditions/orbit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
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

Vec3<double> rotated_about_z(SineCosine const& angle, Vec3<double> const& a) {
  return {angle.cosine * a.x - angle.sine * a.y, angle.sine * a.x + angle.cosine * a.y, a.z};
}

Vec3<double> rotated_about_x(SineCosine const& angle, Vec3<double> const& a) {
  return {a.x, angle.cosine * a.y - angle.sine * a.z, angle.sine * a.y + angle.cosine * a.z};
}

/// E - M from Kepler's equation M = E - e sin E (Murray & Dermott 1999, equation 2.52). Solving for
/// the difference avoids rounding errors of the size of M, and E = M is exact at both apsides.
double anomaly_difference(SineCosine const& mean, double e) {
  double low = -e, high = e;
  double d = 0.85 * std::copysign(e, mean.sine);  // Danby's start
  if (mean.sine == 0.0) d = 0.0;
  for (int iteration = 0; iteration < 100; ++iteration) {
    double const sine = mean.sine * std::cos(d) + mean.cosine * std::sin(d);
    double const cosine = mean.cosine * std::cos(d) - mean.sine * std::sin(d);
    double const error = d - e * sine;
    (error > 0.0 ? high : low) = d;
    double next = d - error / (1.0 - e * cosine);
    if (!(next >= low && next <= high)) next = 0.5 * (low + high);
    if (std::abs(next - d) <= 2e-16 * std::abs(d)) return next;
    d = next;
  }
  return d;
}

/// Sine and cosine of the eccentric anomaly.
SineCosine eccentric(Anomaly const& anomaly, double e) {
  auto const angle = sine_cosine(anomaly.degrees);
  switch (anomaly.kind) {
    case Anomaly::Kind::eccentric:
      return angle;
    case Anomaly::Kind::true_: {
      double const denominator = 1.0 + e * angle.cosine;
      return {std::sqrt((1.0 - e) * (1.0 + e)) * angle.sine / denominator,
              (e + angle.cosine) / denominator};
    }
    default: {
      double const d = anomaly_difference(angle, e);
      return {angle.sine * std::cos(d) + angle.cosine * std::sin(d),
              angle.cosine * std::cos(d) - angle.sine * std::sin(d)};
    }
  }
}
/// sinh H - H, without cancellation for small H.
double sinh_minus_argument(double H) {
  if (std::abs(H) > 1.0) return std::sinh(H) - H;
  double sum = 0.0, term = H;
  for (int k = 2; k < 24; k += 2) {
    term *= H * H / (k * (k + 1));
    sum += term;
  }
  return sum;
}

/// H from M = e sinh H - H of the hyperbola (Murray & Dermott 1999, section 2.10).
double hyperbolic_from_mean(double mean, double e) {
  double const M = std::abs(mean);
  // Each of these is an upper bound of H, since sinh H > H + H^3 / 6. The fixed-point iteration
  // preserves upper bounds. The left side is convex, so Newton's method converges from above.
  double H = std::min(std::cbrt(6.0 * M / e), M / (e - 1.0));
  for (int i = 0; i < 3; ++i) H = std::min(H, std::asinh((M + H) / e));
  for (int iteration = 0; iteration < 100; ++iteration) {
    double const error = (e - 1.0) * std::sinh(H) + sinh_minus_argument(H) - M;
    double const half = std::sinh(0.5 * H);
    double const slope = (e - 1.0) + 2.0 * e * half * half;  // e cosh H - 1
    double const next = H - error / slope;
    if (!(next < H) || H - next <= 1e-16 * H) break;
    H = next;
  }
  return std::copysign(H, mean);
}

/// Hyperbolic sine and cosine of the hyperbolic anomaly H.
SineCosine hyperbolic(Anomaly const& anomaly, double e) {
  if (anomaly.kind == Anomaly::Kind::true_) {
    auto const angle = sine_cosine(anomaly.degrees);
    double const denominator = 1.0 + e * angle.cosine;
    return {std::sqrt((e - 1.0) * (e + 1.0)) * angle.sine / denominator,
            (e + angle.cosine) / denominator};
  }
  double const H = hyperbolic_from_mean(anomaly.degrees * (std::numbers::pi / 180.0), e);
  return {std::sinh(H), std::cosh(H)};
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

SineCosine sine_cosine(double degrees) {
  // The remainder is exact, so multiples of 90 degrees have no rounding error of pi.
  int quarter = 0;
  double const remainder = std::remquo(degrees, 90.0, &quarter);
  double const radians = remainder * (std::numbers::pi / 180.0);
  double const s = std::sin(radians);
  double const c = std::cos(radians);
  switch (static_cast<unsigned>(quarter) % 4u) {
    case 0:
      return {s, c};
    case 1:
      return {c, -s};
    case 2:
      return {-s, -c};
    default:
      return {-c, s};
  }
}

Rotation::Rotation(double node, double inclination, double argument)
    : node_(sine_cosine(node)),
      inclination_(sine_cosine(inclination)),
      argument_(sine_cosine(argument)) {}

Vec3<double> Rotation::operator()(Vec3<double> const& a) const {
  return rotated_about_z(node_, rotated_about_x(inclination_, rotated_about_z(argument_, a)));
}

double mean_anomaly_after(double time, double semi_major_axis, double gravity) {
  double const a = std::abs(semi_major_axis);
  double const period = 2.0 * std::numbers::pi * a * std::sqrt(a / gravity);
  if (semi_major_axis < 0.0) return -360.0 * (time / period);  // not periodic
  return -360.0 * std::remainder(time / period, 1.0);
}

OrbitalState state_on_orbit(ElementsInDegrees const& elements, Anomaly const& anomaly,
                            double gravity) {
  double const a = elements.semi_major_axis;
  double const e = elements.eccentricity;
  Rotation const rotation(elements.node, elements.inclination, elements.argument);
  if (e > 1.0) {
    auto const [sinh, cosh] = hyperbolic(anomaly, e);
    double const axis_ratio = std::sqrt((e - 1.0) * (e + 1.0));
    double const rate = std::sqrt(gravity / -a) / (e * cosh - 1.0);
    return {rotation({-a * (e - cosh), -a * axis_ratio * sinh, 0.0}),
            rotation({-rate * sinh, rate * axis_ratio * cosh, 0.0})};
  }
  auto const [sine, cosine] = eccentric(anomaly, e);
  double const axis_ratio = std::sqrt((1.0 - e) * (1.0 + e));
  // Equations 2.41 for the position, and its derivative with dE/dt = n / (1 - e cos E).
  double const rate = std::sqrt(gravity / a) / (1.0 - e * cosine);
  return {rotation({a * (cosine - e), a * axis_ratio * sine, 0.0}),
          rotation({-rate * sine, rate * axis_ratio * cosine, 0.0})};
}

OrbitalState state_on_orbit(ElementsInDegrees const& elements, double gravity) {
  return state_on_orbit(elements, {Anomaly::Kind::mean, elements.mean_anomaly}, gravity);
}

double farthest(double pericentre, double eccentricity) {
  if (eccentricity >= 1.0) return std::numeric_limits<double>::infinity();
  return pericentre * (1.0 + eccentricity) / (1.0 - eccentricity);
}

double time_to_pericentre(double pericentre, double eccentricity, double separation,
                          double gravity) {
  double const q = pericentre, e = eccentricity;
  if (std::abs(e - 1.0) < 1e-6) {  // Barker's equation
    double const tangent = std::sqrt(separation / q - 1.0);
    return std::sqrt(2.0 * q * q * q / gravity) * tangent * (1.0 + tangent * tangent / 3.0);
  }
  double const a = q / (1.0 - e);
  double const rate = std::sqrt(gravity / std::abs(a)) / std::abs(a);
  if (e == 0.0) return 0.0;
  double const cosine = (1.0 - separation / a) / e;  // cos E, or cosh H
  if (e > 1.0) {
    double const H = std::acosh(std::max(1.0, cosine));
    return (e * std::sinh(H) - H) / rate;
  }
  double const E = std::acos(std::clamp(cosine, -1.0, 1.0));
  return (E - e * std::sin(E)) / rate;
}

OrbitalState state_on_approach(double pericentre, double eccentricity, double separation,
                               double gravity) {
  double const q = pericentre, e = eccentricity, nearness = q / separation;
  // Velocities from the angular momentum and energy of the conic (Murray & Dermott 1999, equations
  // 2.19 and 2.34) with p = q (1 + e). Each factor is exactly 0 at an apsis, and there is no
  // cancellation far from the apsides.
  double const tangential = std::sqrt(gravity * q * (1.0 + e)) / separation;
  double const radial_squared = gravity / q * (1.0 - nearness) * (e - 1.0 + (1.0 + e) * nearness);
  return {{separation, 0.0, 0.0}, {-std::sqrt(std::max(0.0, radial_squared)), tangential, 0.0}};
}

}  // namespace apsis::initial_conditions
