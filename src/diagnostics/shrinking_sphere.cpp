// SPDX-License-Identifier: Apache-2.0
#include "diagnostics/shrinking_sphere.hpp"

#include <apsis/core/reductions.hpp>

#include <algorithm>

namespace apsis::diagnostics {

namespace {

constexpr double shrink = 0.9;
constexpr double min_count = 1000.0;
constexpr double min_fraction = 0.01;

/// Sums over the bodies within a sphere.
struct Within {
  double count = 0.0, mass = 0.0;
  Vec3<double> moment{}, position{};  ///< sums of m x and of x

  KOKKOS_FUNCTION Within& operator+=(Within const& other) {
    count += other.count;
    mass += other.mass;
    moment += other.moment;
    position += other.position;
    return *this;
  }
  Vec3<double> centre() const {
    if (mass > 0.0) return (1.0 / mass) * moment;
    return count > 0.0 ? (1.0 / count) * position : Vec3<double>{};
  }
};

/// Sums over the bodies within `radius` of `centre`. Bodies with a position that is not finite do
/// not count.
Within within(Context const& context, ReadBodies const& bodies, Vec3<double> const& centre,
              double radius) {
  auto const position = bodies.position;
  auto const mass = bodies.mass;
  double const square = radius * radius;
  return fixed_order_sum<Within>(
      context, "apsis::diagnostics::shrinking_sphere", bodies.size(), KOKKOS_LAMBDA(std::size_t i) {
        auto const x = row(position, i);
        auto const from_centre = x - centre;
        Within one{};
        if (!(dot(from_centre, from_centre) <= square)) return one;
        one.count = 1.0;
        one.mass = mass(i);
        one.moment = one.mass * x;
        one.position = x;
        return one;
      });
}

double largest_distance(Context const& context, ReadBodies const& bodies,
                        Vec3<double> const& centre) {
  auto const position = bodies.position;
  double const square = largest<double>(
      context, "apsis::diagnostics::farthest_from_centre", bodies.size(),
      KOKKOS_LAMBDA(std::size_t i) {
        auto const from_centre = row(position, i) - centre;
        double const r2 = dot(from_centre, from_centre);
        return Kokkos::isfinite(r2) ? r2 : 0.0;
      });
  return square > 0.0 ? std::sqrt(square) : 0.0;
}

/// Radius of a sphere that contains all bodies; its square does not overflow.
constexpr double everywhere = 1e150;

}  // namespace

Vec3<double> mass_centre(Context const& context, ReadBodies const& bodies) {
  return within(context, bodies, {}, everywhere).centre();
}

Vec3<double> shrinking_sphere_centre(Context const& context, ReadBodies const& bodies) {
  auto const total = within(context, bodies, {}, everywhere);
  auto centre = total.centre();
  double const enough = std::max(min_count, min_fraction * total.count);
  if (total.count <= enough) return centre;
  double radius = largest_distance(context, bodies, centre);
  // The limit ends the loop if the remaining bodies are all at one position.
  for (int spheres = 0; spheres < 1000 && radius > 0.0; ++spheres) {
    radius *= shrink;
    auto const inside = within(context, bodies, centre, radius);
    if (inside.count < enough) break;
    centre = inside.centre();
  }
  return centre;
}

}  // namespace apsis::diagnostics
