// SPDX-License-Identifier: Apache-2.0
#include <apsis/initial_conditions/orbit.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace apsis::initial_conditions {

SineCosine sine_cosine(double degrees) {
  // The remainder is exact, so that no multiple of 90 degrees leaves a trace of pi.
  int quarter = 0;
  double const rest = std::remquo(degrees, 90.0, &quarter);
  double const radians = rest * (std::numbers::pi / 180.0);
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

namespace {
Vec3<double> about_z(SineCosine const& angle, Vec3<double> const& a) {
  return {angle.cosine * a.x - angle.sine * a.y, angle.sine * a.x + angle.cosine * a.y, a.z};
}

Vec3<double> about_x(SineCosine const& angle, Vec3<double> const& a) {
  return {a.x, angle.cosine * a.y - angle.sine * a.z, angle.sine * a.y + angle.cosine * a.z};
}

/// E - M of Kepler's equation M = E - e sin E (Murray & Dermott 1999, equation 2.52). With the
/// difference as unknown nothing is lost to the size of M, and E is M exactly at both apsides.
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
}  // namespace

Rotation::Rotation(double node, double inclination, double argument)
    : node_(sine_cosine(node)),
      inclination_(sine_cosine(inclination)),
      argument_(sine_cosine(argument)) {}

Vec3<double> Rotation::operator()(Vec3<double> const& a) const {
  return about_z(node_, about_x(inclination_, about_z(argument_, a)));
}

namespace {
/// Sine and cosine of the eccentric anomaly.
SineCosine eccentric(Anomaly const& anomaly, double e) {
  auto const of = sine_cosine(anomaly.degrees);
  switch (anomaly.kind) {
    case Anomaly::Kind::eccentric:
      return of;
    case Anomaly::Kind::true_: {
      double const denominator = 1.0 + e * of.cosine;
      return {std::sqrt((1.0 - e) * (1.0 + e)) * of.sine / denominator,
              (e + of.cosine) / denominator};
    }
    default: {
      double const d = anomaly_difference(of, e);
      return {of.sine * std::cos(d) + of.cosine * std::sin(d),
              of.cosine * std::cos(d) - of.sine * std::sin(d)};
    }
  }
}
}  // namespace

namespace {
/// sinh H - H, and no less exact where they are nearly the same.
double sinh_less(double H) {
  if (std::abs(H) > 1.0) return std::sinh(H) - H;
  double sum = 0.0, term = H;
  for (int k = 2; k < 24; k += 2) {
    term *= H * H / (k * (k + 1));
    sum += term;
  }
  return sum;
}

/// The solution of Kepler's equation of the hyperbola, M = e sinh H - H (Murray & Dermott 1999,
/// section 2.10).
double hyperbolic_from_mean(double mean, double e) {
  double const M = std::abs(mean);
  // H is below each of these since sinh H > H + H^3 / 6; what is above it stays so under the
  // iteration, and Newton's steps come down from there, as the left side is convex.
  double H = std::min(std::cbrt(6.0 * M / e), M / (e - 1.0));
  for (int i = 0; i < 3; ++i) H = std::min(H, std::asinh((M + H) / e));
  for (int iteration = 0; iteration < 100; ++iteration) {
    double const error = (e - 1.0) * std::sinh(H) + sinh_less(H) - M;
    double const half = std::sinh(0.5 * H);
    double const slope = (e - 1.0) + 2.0 * e * half * half;  // e cosh H - 1
    double const next = H - error / slope;
    if (!(next < H) || H - next <= 1e-16 * H) break;
    H = next;
  }
  return std::copysign(H, mean);
}

/// Hyperbolic sine and cosine of what a hyperbola has for an eccentric anomaly.
SineCosine hyperbolic(Anomaly const& anomaly, double e) {
  if (anomaly.kind == Anomaly::Kind::true_) {
    auto const of = sine_cosine(anomaly.degrees);
    double const denominator = 1.0 + e * of.cosine;
    return {std::sqrt((e - 1.0) * (e + 1.0)) * of.sine / denominator,
            (e + of.cosine) / denominator};
  }
  double const H = hyperbolic_from_mean(anomaly.degrees * (std::numbers::pi / 180.0), e);
  return {std::sinh(H), std::cosh(H)};
}
}  // namespace

double mean_anomaly_after(double time, double semi_major_axis, double gravity) {
  double const a = std::abs(semi_major_axis);
  double const period = 2.0 * std::numbers::pi * a * std::sqrt(a / gravity);
  if (semi_major_axis < 0.0) return -360.0 * (time / period);  // and it never comes again
  return -360.0 * std::remainder(time / period, 1.0);
}

OrbitalState state_on_orbit(ElementsInDegrees const& elements, Anomaly const& anomaly,
                            double gravity) {
  double const a = elements.semi_major_axis;
  double const e = elements.eccentricity;
  Rotation const turned(elements.node, elements.inclination, elements.argument);
  if (e > 1.0) {
    auto const [sinh, cosh] = hyperbolic(anomaly, e);
    double const axis_ratio = std::sqrt((e - 1.0) * (e + 1.0));
    double const rate = std::sqrt(gravity / -a) / (e * cosh - 1.0);
    return {turned({-a * (e - cosh), -a * axis_ratio * sinh, 0.0}),
            turned({-rate * sinh, rate * axis_ratio * cosh, 0.0})};
  }
  auto const [sine, cosine] = eccentric(anomaly, e);
  double const axis_ratio = std::sqrt((1.0 - e) * (1.0 + e));
  // Equations 2.41 for the place, and its derivative with dE/dt = n / (1 - e cos E).
  double const rate = std::sqrt(gravity / a) / (1.0 - e * cosine);
  return {turned({a * (cosine - e), a * axis_ratio * sine, 0.0}),
          turned({-rate * sine, rate * axis_ratio * cosine, 0.0})};
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
  double const of_anomaly = (1.0 - separation / a) / e;  // its cosine, circular or hyperbolic
  if (e > 1.0) {
    double const H = std::acosh(std::max(1.0, of_anomaly));
    return (e * std::sinh(H) - H) / rate;
  }
  double const E = std::acos(std::clamp(of_anomaly, -1.0, 1.0));
  return (E - e * std::sin(E)) / rate;
}

OrbitalState state_on_approach(double pericentre, double eccentricity, double separation,
                               double gravity) {
  double const q = pericentre, e = eccentricity, nearness = q / separation;
  // Angular momentum and energy of the conic (Murray & Dermott 1999, equations 2.19 and 2.34) with
  // p = q (1 + e); each factor is 0 at an apsis and nothing cancels far from them.
  double const around = std::sqrt(gravity * q * (1.0 + e)) / separation;
  double const inwards = gravity / q * (1.0 - nearness) * (e - 1.0 + (1.0 + e) * nearness);
  return {{separation, 0.0, 0.0}, {-std::sqrt(std::max(0.0, inwards)), around, 0.0}};
}

}  // namespace apsis::initial_conditions
