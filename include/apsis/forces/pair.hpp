// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/over_cubed_root.hpp>
#include <apsis/core/simd.hpp>

#include <Kokkos_NumericTraits.hpp>

/// The one softened pair law. Forces, potential and tests all call it; nothing else knows it.
///
/// Plummer softening (Aarseth 1963, MNRAS 126, 223): with r the vector from target to source,
///   acceleration  a   =  G m r / (|r|^2 + eps^2)^(3/2)
///   potential     phi = -G m   / (|r|^2 + eps^2)^(1/2)
/// so that a = -grad phi. The functions leave G and the sign of phi to the caller, who applies them
/// once per target instead of once per pair.
///
/// `Lanes` is a vector register of targets on the host and a plain number on a GPU.
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

/// Displacement and softened squared distance from a target to a source. The sum starts from eps^2
/// so that it is three fused multiply-adds and no addition.
template <class Lanes>
struct Separation {
  Lanes x, y, z, squared;
};

namespace detail {
template <class Real, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION Separation<Lanes> softened(Lanes dx, Lanes dy, Lanes dz,
                                                       Real eps_squared) {
  return {dx, dy, dz, dz * dz + (dy * dy + (dx * dx + eps_squared))};
}
}  // namespace detail

template <class Real, class Lanes, class Sources>
KOKKOS_FORCEINLINE_FUNCTION Separation<Lanes> separation(Point<Lanes> const& target,
                                                         PointMass<Sources> const& source,
                                                         Real eps_squared) {
  return detail::softened<Real, Lanes>(source.x - target.x, source.y - target.y,
                                       source.z - target.z, eps_squared);
}

/// Near each other the leading parts subtract without rounding, and what they lack is in the rest.
template <class Real, class Lanes, class Sources>
KOKKOS_FORCEINLINE_FUNCTION Separation<Lanes> separation(SplitPoint<Lanes> const& target,
                                                         SplitPointMass<Sources> const& source,
                                                         Real eps_squared) {
  return detail::softened<Real, Lanes>((source.x - target.x) + (source.x_low - target.x_low),
                                       (source.y - target.y) + (source.y_low - target.y_low),
                                       (source.z - target.z) + (source.z_low - target.z_low),
                                       eps_squared);
}

namespace detail {
/// Massless bodies pull nobody, however close (0 times infinity would be NaN).
template <class Mass, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION Lanes unless_massless(Mass m, Lanes const& value) {
  return m == Mass{} ? Lanes{} : value;
}
}  // namespace detail

/// m / (|r|^2 + eps^2)^(3/2): the factor that r is multiplied by. Without softening two bodies in
/// one place (a body and itself among them) do not pull on each other: the force has no direction.
template <bool softened, class Real, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION Lanes pull(Real m, Separation<Lanes> const& r) {
  Lanes const factor = simd::over_cubed_root(m, r.squared);
  if constexpr (softened) {
    return factor;
  } else {
    return detail::unless_massless(m, r.squared > Real(0) ? factor : Lanes{});
  }
}

/// The pulls of two bodies on each other, for one root. Masses may be packs.
template <class Lanes>
struct MutualPull {
  Lanes towards;  ///< by the source
  Lanes back;     ///< by the target
};
template <bool softened, class Real, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION MutualPull<Lanes> mutual_pull(Lanes const& source_m,
                                                          Lanes const& target_m,
                                                          Separation<Lanes> const& r) {
  Lanes const each = pull<softened>(Real(1), r);
  if constexpr (softened) {
    return {source_m * each, target_m * each};
  } else {
    return {detail::unless_massless(source_m, source_m * each),
            detail::unless_massless(target_m, target_m * each)};
  }
}

/// m / (|r|^2 + eps^2)^(1/2), from the pull of the same pair: one multiplication. Infinite for
/// unsoftened bodies in one place, 0 from a massless source.
template <bool softened, class Real, class Mass, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION Lanes depth(Mass const& m, Lanes const& pull,
                                        Separation<Lanes> const& r) {
  Lanes const finite = pull * r.squared;
  if constexpr (softened) {
    return finite;
  } else {
    Lanes const infinite = Lanes{} + Kokkos::Experimental::infinity_v<Real>;
    return detail::unless_massless(m, r.squared > Real(0) ? finite : infinite);
  }
}

/// Lengths that the law can work with in `Real`: the third power of a softening other than 0 must
/// not vanish, the square of a distance must not overflow.
template <class Real>
inline constexpr double smallest_softening = sizeof(Real) == 4 ? 1e-12 : 1e-100;
template <class Real>
inline constexpr double largest_length = sizeof(Real) == 4 ? 1e18 : 1e150;

}  // namespace apsis::forces
