// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/forces/softening.hpp>

#include <cstddef>

/// The one softened pair law. Forces, potential and tests all call it; nothing else knows it. The
/// functions leave G and the sign of the potential to the caller, who applies them once per target
/// instead of once per pair.
///
/// `Lanes` is a vector register of targets on the host and a plain number on a GPU; `Softening` is
/// one of the laws of softening.hpp.
namespace apsis::forces {

/// Where a target is.
template <class Lanes>
struct Point {
  Lanes x, y, z;
};

/// A source of gravity, loaded as one unit. (Of packs: one source for each lane.)
template <class Real>
struct alignas(4 * sizeof(Real)) PointMass {
  Real x, y, z, m;

  /// From its numbers in their order.
  template <class Column>
  static PointMass made_of(Column const& column) {
    return {column(0), column(1), column(2), column(3)};
  }
};

/// Coordinates in two parts, x + x_low, each rounded to `Real`: 48 bits of a double in two floats.
template <class Lanes>
struct SplitPoint {
  Lanes x, y, z, x_low, y_low, z_low;
};

/// A source in two parts, loaded as two units.
template <class Real>
struct alignas(4 * sizeof(Real)) SplitPointMass {
  Real x, y, z, m, x_low, y_low, z_low, unused;

  template <class Column>
  static SplitPointMass made_of(Column const& column) {
    return {column(0), column(1), column(2), column(3), column(4), column(5), column(6), Real{}};
  }
};

namespace detail {
template <class Real, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION Separation<Lanes> separated(Lanes dx, Lanes dy, Lanes dz, Real offset) {
  return {dx, dy, dz, dz * dz + (dy * dy + (dx * dx + offset))};
}
}  // namespace detail

/// From a target to a source; `offset` is what the softening starts the squared distance from.
template <class Real, class Lanes, class Sources>
KOKKOS_FORCEINLINE_FUNCTION Separation<Lanes> separation(Point<Lanes> const& target,
                                                         PointMass<Sources> const& source,
                                                         Real offset) {
  return detail::separated<Real, Lanes>(source.x - target.x, source.y - target.y,
                                        source.z - target.z, offset);
}

/// Near each other the leading parts subtract without rounding, and what they lack is in the rest.
template <class Real, class Lanes, class Sources>
KOKKOS_FORCEINLINE_FUNCTION Separation<Lanes> separation(SplitPoint<Lanes> const& target,
                                                         SplitPointMass<Sources> const& source,
                                                         Real offset) {
  return detail::separated<Real, Lanes>((source.x - target.x) + (source.x_low - target.x_low),
                                        (source.y - target.y) + (source.y_low - target.y_low),
                                        (source.z - target.z) + (source.z_low - target.z_low),
                                        offset);
}

/// The pulls of two bodies on each other, for one root. Masses may be packs.
template <class Lanes>
struct MutualPull {
  Lanes towards;  ///< by the source
  Lanes back;     ///< by the target
};
template <class Real, class Softening, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION MutualPull<Lanes> mutual_pull(Softening const& softening,
                                                          Lanes const& source_m,
                                                          Lanes const& target_m,
                                                          Separation<Lanes> const& r) {
  Lanes const each = softening.pull(Real(1), r);
  return {softening.times(source_m, each), softening.times(target_m, each)};
}

/// A vector of each lane.
template <class Lanes>
struct Motion {
  Lanes x, y, z;
};

/// f of a unit mass, p and q of softening.hpp: what acceleration, jerk and snap are made of. `r` is
/// the way to the source, `moving` its velocity and, for q, its acceleration against the target's.
template <class Lanes>
struct Rates {
  Lanes f, p, q;
};
template <class Softening, class Lanes, std::size_t derivatives>
KOKKOS_FORCEINLINE_FUNCTION Rates<Lanes> rates(Softening const& softening,
                                               Separation<Lanes> const& r,
                                               Motion<Lanes> const (&moving)[derivatives]) {
  auto const at = softening.profile(r);
  auto const& v = moving[0];
  Lanes const along = (r.z * v.z + (r.y * v.y + r.x * v.x)) * at.w;
  if constexpr (derivatives == 1) {
    return {at.f, at.g * along, Lanes{}};
  } else {
    auto const& a = moving[1];
    Lanes const bend =
        ((v.z * v.z + (v.y * v.y + v.x * v.x)) + (r.z * a.z + (r.y * a.y + r.x * a.x))) * at.w;
    return {at.f, at.g * along, at.h * (along * along) + at.g * bend};
  }
}

}  // namespace apsis::forces
