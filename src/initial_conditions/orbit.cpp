// SPDX-License-Identifier: Apache-2.0
#include <apsis/initial_conditions/orbit.hpp>

#include <cmath>
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

double mean_anomaly_after(double time, double semi_major_axis, double gravity) {
  double const a = semi_major_axis;
  double const period = 2.0 * std::numbers::pi * a * std::sqrt(a / gravity);
  return -360.0 * std::remainder(time / period, 1.0);
}

OrbitalState state_on_orbit(ElementsInDegrees const& elements, Anomaly const& anomaly,
                            double gravity) {
  double const a = elements.semi_major_axis;
  double const e = elements.eccentricity;
  auto const [sine, cosine] = eccentric(anomaly, e);
  double const axis_ratio = std::sqrt((1.0 - e) * (1.0 + e));
  // Equations 2.41 for the place, and its derivative with dE/dt = n / (1 - e cos E).
  double const rate = std::sqrt(gravity / a) / (1.0 - e * cosine);
  Rotation const turned(elements.node, elements.inclination, elements.argument);
  return {turned({a * (cosine - e), a * axis_ratio * sine, 0.0}),
          turned({-rate * sine, rate * axis_ratio * cosine, 0.0})};
}

OrbitalState state_on_orbit(ElementsInDegrees const& elements, double gravity) {
  return state_on_orbit(elements, {Anomaly::Kind::mean, elements.mean_anomaly}, gravity);
}

}  // namespace apsis::initial_conditions
