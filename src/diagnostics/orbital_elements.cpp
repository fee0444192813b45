// SPDX-License-Identifier: Apache-2.0
#include <apsis/diagnostics/orbital_elements.hpp>

#include <cmath>
#include <limits>
#include <numbers>

namespace apsis::diagnostics {

namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
/// Rounding error of an eccentricity or of a sine that is 0.
constexpr double rounding = 1e-12;

double full_circle(double angle) {
  constexpr double turn = 2.0 * std::numbers::pi;
  double const positive = angle < 0.0 ? angle + turn : angle;
  return positive < turn ? positive : 0.0;
}

/// Angle in (-pi, pi] between two vectors in the plane with the unit normal `normal`.
double angle(Vec3<double> const& start, Vec3<double> const& end, Vec3<double> const& normal) {
  return std::atan2(dot(cross(start, end), normal), dot(start, end));
}

}  // namespace

OrbitalElements orbital_elements(double G, double total_mass, Vec3<double> const& position,
                                 Vec3<double> const& velocity) {
  double const mu = G * total_mass;
  double const r = norm(position);
  auto const h = cross(position, velocity);
  double const spin = norm(h);
  // Eccentricity vector: points to pericentre and has the length e.
  auto const to_pericentre = (1.0 / mu) * cross(velocity, h) - (1.0 / r) * position;

  OrbitalElements elements{};
  elements.eccentricity = norm(to_pericentre);
  double const inverse_axis = 2.0 / r - dot(velocity, velocity) / mu;
  elements.semi_major_axis = inverse_axis != 0.0 ? 1.0 / inverse_axis : infinity;
  double const a = elements.semi_major_axis;
  elements.period = inverse_axis > 0.0 ? kepler_period(a, mu) : infinity;
  if (!(spin > 0.0)) {
    elements.inclination = elements.ascending_node = elements.argument_of_pericentre = nothing;
    elements.true_anomaly = elements.mean_anomaly = nothing;
    return elements;
  }

  double const tilt = std::hypot(h.x, h.y);
  bool const planar = tilt < rounding * spin;
  bool const circular = elements.eccentricity < rounding;
  auto const normal = (1.0 / spin) * h;
  Vec3<double> const node = planar ? Vec3<double>{1.0, 0.0, 0.0} : Vec3<double>{-h.y, h.x, 0.0};
  auto const pericentre = circular ? node : to_pericentre;
  elements.inclination = std::atan2(tilt, h.z);
  elements.ascending_node = full_circle(std::atan2(node.y, node.x));
  elements.argument_of_pericentre = circular ? 0.0 : full_circle(angle(node, pericentre, normal));
  double const f = angle(pericentre, position, normal);
  elements.true_anomaly = full_circle(f);

  // tan(E/2) = sqrt((1 - e) / (1 + e)) tan(f/2). The root is computed from h, because 1 - e loses
  // digits near e = 1.
  double const e = circular ? 0.0 : elements.eccentricity;
  double const root = spin * std::sqrt(std::abs(inverse_axis) / mu) / (1.0 + e);
  if (inverse_axis > 0.0) {
    double const eccentric = 2.0 * std::atan2(root * std::sin(0.5 * f), std::cos(0.5 * f));
    elements.mean_anomaly = full_circle(eccentric - e * std::sin(eccentric));
  } else if (inverse_axis < 0.0) {
    double const eccentric = 2.0 * std::atanh(root * std::tan(0.5 * f));
    elements.mean_anomaly = e * std::sinh(eccentric) - eccentric;
  } else {
    elements.mean_anomaly = nothing;
  }
  return elements;
}

}  // namespace apsis::diagnostics
