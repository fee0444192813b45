// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softening.hpp"

#include <cstddef>

/// The softened pair law. Forces, potentials and tests all use this implementation. G and the sign
/// of the potential are left to the caller, which applies them once per target instead of once per
/// pair.
///
/// `Lanes` is a vector register of targets on the host and a number on a GPU; `Softening` is one of
/// the laws of softening.hpp.
namespace apsis::forces {

/// Position of a target.
template <class Lanes>
struct Point {
  Lanes x, y, z;
};

/// A source of gravity, loaded as one unit. (Of packs: one source for each lane.)
template <class Real>
struct alignas(4 * sizeof(Real)) PointMass {
  Real x, y, z, m;

  /// Builds a source from its components in order of declaration.
  template <class Column>
  static PointMass from_components(Column const& column) {
    return {column(0), column(1), column(2), column(3)};
  }
};

/// Coordinates in two parts, x + x_low, each rounded to `Real`: 48 bits of a double in two floats.
template <class Lanes>
struct SplitPoint {
  Lanes x, y, z, x_low, y_low, z_low;
};

/// A source with coordinates in two parts, loaded as two units.
template <class Real>
struct alignas(4 * sizeof(Real)) SplitPointMass {
  Real x, y, z, m, x_low, y_low, z_low, unused;

  template <class Column>
  static SplitPointMass from_components(Column const& column) {
    return {column(0), column(1), column(2), column(3), column(4), column(5), column(6), Real{}};
  }
};

namespace detail {
template <class Real, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION Separation<Lanes> make_separation(Lanes dx, Lanes dy, Lanes dz,
                                                              Real offset) {
  return {dx, dy, dz, dz * dz + (dy * dy + (dx * dx + offset))};
}
}  // namespace detail

/// Separation of a source from a target. The softening adds `offset` to the squared distance.
template <class Real, class Lanes, class Sources>
KOKKOS_FORCEINLINE_FUNCTION Separation<Lanes> separation(Point<Lanes> const& target,
                                                         PointMass<Sources> const& source,
                                                         Real offset) {
  return detail::make_separation<Real, Lanes>(source.x - target.x, source.y - target.y,
                                              source.z - target.z, offset);
}

/// For close bodies the leading parts subtract without rounding error, and the low parts add the
/// missing digits.
template <class Real, class Lanes, class Sources>
KOKKOS_FORCEINLINE_FUNCTION Separation<Lanes> separation(SplitPoint<Lanes> const& target,
                                                         SplitPointMass<Sources> const& source,
                                                         Real offset) {
  return detail::make_separation<Real, Lanes>((source.x - target.x) + (source.x_low - target.x_low),
                                              (source.y - target.y) + (source.y_low - target.y_low),
                                              (source.z - target.z) + (source.z_low - target.z_low),
                                              offset);
}

/// Acceleration factors of two bodies on each other, from one square root. Masses may be packs.
template <class Lanes>
struct MutualFactors {
  Lanes target;  ///< of the target, by the source
  Lanes source;  ///< of the source, by the target
};
template <class Real, class Softening, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION MutualFactors<Lanes> mutual_factors(Softening const& softening,
                                                                Lanes const& source_m,
                                                                Lanes const& target_m,
                                                                Separation<Lanes> const& r) {
  Lanes const factor = softening.acceleration_factor(Real(1), r);
  return {softening.scale_by_mass(source_m, factor), softening.scale_by_mass(target_m, factor)};
}

/// A vector in each lane.
template <class Lanes>
struct Motion {
  Lanes x, y, z;
};

/// f of a unit mass, p and q of softening.hpp, which make up acceleration, jerk and snap. `r` is
/// the separation of the source, `moving` its relative velocity and, for q, its relative
/// acceleration.
template <class Lanes>
struct Rates {
  Lanes f, p, q;
};
template <class Softening, class Lanes, std::size_t derivatives>
KOKKOS_FORCEINLINE_FUNCTION Rates<Lanes> rates(Softening const& softening,
                                               Separation<Lanes> const& r,
                                               Motion<Lanes> const (&moving)[derivatives]) {
  auto const profile = softening.profile(r);
  auto const& v = moving[0];
  Lanes const radial_rate = (r.z * v.z + (r.y * v.y + r.x * v.x)) * profile.w;
  if constexpr (derivatives == 1) {
    return {profile.f, profile.g * radial_rate, Lanes{}};
  } else {
    auto const& a = moving[1];
    Lanes const bend =
        ((v.z * v.z + (v.y * v.y + v.x * v.x)) + (r.z * a.z + (r.y * a.y + r.x * a.x))) * profile.w;
    return {profile.f, profile.g * radial_rate,
            profile.h * (radial_rate * radial_rate) + profile.g * bend};
  }
}

}  // namespace apsis::forces
