// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/simd.hpp>

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

/// A source of gravity, loaded as one unit.
template <class Real>
struct alignas(4 * sizeof(Real)) PointMass {
  Real x, y, z, m;
};

/// Displacement and softened squared distance from a target to a source. The sum starts from eps^2
/// so that it is three fused multiply-adds and no addition.
template <class Lanes>
struct Separation {
  Lanes x, y, z, squared;
};

template <class Real, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION Separation<Lanes> separation(Lanes x, Lanes y, Lanes z,
                                                         PointMass<Real> const& source,
                                                         Real eps_squared) {
  Lanes const dx = source.x - x;
  Lanes const dy = source.y - y;
  Lanes const dz = source.z - z;
  return {dx, dy, dz, dz * dz + (dy * dy + (dx * dx + eps_squared))};
}

/// m / (|r|^2 + eps^2)^(3/2): the factor that r is multiplied by. Without softening two bodies in
/// one place (a body and itself among them) do not pull on each other: the force has no direction.
template <bool softened, class Real, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION Lanes pull(PointMass<Real> const& source, Separation<Lanes> const& r) {
  if constexpr (softened) {
    return simd::over_cubed_root(source.m, r.squared);
  } else {
    // Massless bodies pull nobody, however close (0 times infinity would be NaN).
    if (source.m == Real(0)) return Lanes{};
    Lanes const factor = simd::over_cubed_root(source.m, r.squared);
    return r.squared > Real(0) ? factor : Lanes{};
  }
}

/// m / (|r|^2 + eps^2)^(1/2). Infinite for unsoftened bodies in one place, 0 from a massless
/// source.
template <class Real, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION Lanes depth(PointMass<Real> const& source, Separation<Lanes> const& r) {
  if (source.m == Real(0)) return Lanes{};
  return source.m * simd::inverse_sqrt(r.squared);
}

/// Lengths that the law can work with in `Real`: the third power of a softening other than 0 must
/// not vanish, the square of a distance must not overflow.
template <class Real>
inline constexpr double smallest_softening = sizeof(Real) == 4 ? 1e-12 : 1e-100;
template <class Real>
inline constexpr double largest_length = sizeof(Real) == 4 ? 1e18 : 1e150;

}  // namespace apsis::forces
