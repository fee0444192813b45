// SPDX-License-Identifier: Apache-2.0
#include <apsis/bodies/row.hpp>
#include <apsis/core/reductions.hpp>
#include <apsis/diagnostics/shrinking_sphere.hpp>

#include <algorithm>

namespace apsis::diagnostics {

namespace {

constexpr double shrink = 0.9;
constexpr double fewest = 1000.0;
constexpr double least_share = 0.01;

struct Within {
  double count = 0.0, mass = 0.0;
  Vec3<double> moment{}, place{};

  KOKKOS_FUNCTION Within& operator+=(Within const& other) {
    count += other.count;
    mass += other.mass;
    moment += other.moment;
    place += other.place;
    return *this;
  }
  Vec3<double> centre() const {
    if (mass > 0.0) return (1.0 / mass) * moment;
    return count > 0.0 ? (1.0 / count) * place : Vec3<double>{};
  }
};

/// Bodies that are not finite are within nothing.
template <class Real>
Within within(Context const& context, Bodies<Real> const& bodies, Vec3<double> const& centre,
              double radius) {
  auto const position = bodies.position;
  auto const mass = bodies.mass;
  double const square = radius * radius;
  return fixed_order_sum<Within>(
      context, "apsis::diagnostics::shrinking_sphere", bodies.size(), KOKKOS_LAMBDA(std::size_t i) {
        auto const at = row(position, i);
        auto const from_centre = at - centre;
        Within one{};
        if (!(dot(from_centre, from_centre) <= square)) return one;
        one.count = 1.0;
        one.mass = static_cast<double>(mass(i));
        one.moment = one.mass * at;
        one.place = at;
        return one;
      });
}

template <class Real>
double farthest(Context const& context, Bodies<Real> const& bodies, Vec3<double> const& centre) {
  auto const position = bodies.position;
  double const square = largest<double>(
      context, "apsis::diagnostics::farthest_from_centre", bodies.size(),
      KOKKOS_LAMBDA(std::size_t i) {
        auto const at = row(position, i);
        auto const from_centre = at - centre;
        double const r2 = dot(from_centre, from_centre);
        return Kokkos::isfinite(r2) ? r2 : 0.0;
      });
  return square > 0.0 ? std::sqrt(square) : 0.0;
}

constexpr double everywhere = 1e150;

}  // namespace

template <class Real>
Vec3<double> mass_centre(Context const& context, Bodies<Real> const& bodies) {
  return within(context, bodies, {}, everywhere).centre();
}

template <class Real>
Vec3<double> shrinking_sphere_centre(Context const& context, Bodies<Real> const& bodies) {
  auto const all = within(context, bodies, {}, everywhere);
  auto centre = all.centre();
  double const enough = std::max(fewest, least_share * all.count);
  if (all.count <= enough) return centre;
  double radius = farthest(context, bodies, centre);
  // In a sphere that keeps all its bodies for ever they are in one place.
  for (int spheres = 0; spheres < 1000 && radius > 0.0; ++spheres) {
    radius *= shrink;
    auto const inside = within(context, bodies, centre, radius);
    if (inside.count < enough) break;
    centre = inside.centre();
  }
  return centre;
}

template Vec3<double> mass_centre(Context const&, Bodies<float> const&);
template Vec3<double> mass_centre(Context const&, Bodies<double> const&);
template Vec3<double> shrinking_sphere_centre(Context const&, Bodies<float> const&);
template Vec3<double> shrinking_sphere_centre(Context const&, Bodies<double> const&);

}  // namespace apsis::diagnostics
