// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lanes/over_cubed_root.hpp"
#include "lanes/simd.hpp"

#include <Kokkos_NumericTraits.hpp>

/// Softening of gravity at short distances. Each law is defined by one function, its potential;
/// force and derivatives follow from it.
///
/// With r the vector from target to source, s its length and v, a the relative velocity and
/// acceleration, a source of mass m causes
///   potential     -m d(s)
///   acceleration   m f r,                    f = -d' / s
///   jerk           m f (v + p r),            p = g w (r v)
///   snap           m f (a + 2 p v + q r),    q = h (w r v)^2 + g w (v^2 + r a)
/// where f g w = f' / s and f h w^2 = (f' / s)' / s. Newton's law has g = -3 and h = 15 with w = 1
/// / s^2. A law is a type with
///   acceleration_factor(m, r)   m f: acceleration over r, without G
///   scale_by_mass(m, f)         the same from that of a unit mass; masses may be packs
///   depth(m, factor, r)         m d, from the acceleration factor of the same pair: infinite for
///                               coincident unsoftened bodies, 0 for a massless source
///   profile(r)                  f of a unit mass, g, h and w
namespace apsis::forces {

/// Displacement and squared distance from a target to a source; the square includes what the
/// softening adds to it.
template <class Lanes>
struct Separation {
  Lanes x, y, z, squared;
};

/// f of a unit mass, and g, h and w.
template <class Lanes>
struct Profile {
  Lanes f, g, h, w;
};

namespace detail {
/// Zero for a massless source, however close (0 times infinity would be NaN).
template <class Mass, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION Lanes zero_if_massless(Mass m, Lanes const& value) {
  return m == Mass{} ? Lanes{} : value;
}

/// Profile of Newton's law, from f = s^-3.
template <class Real, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION Profile<Lanes> newtonian(Lanes const& f, Lanes const& squared) {
  Lanes const inverse = f * squared;
  return {f, Lanes{} + Real(-3), Lanes{} + Real(15), inverse * inverse};
}
}  // namespace detail

/// Plummer softening (Aarseth 1963, MNRAS 126, 223): Newton's law with s^2 = |r|^2 + eps^2. The
/// squared distance starts from eps^2, so that it takes three fused multiply-adds and no addition.
template <class Real>
struct PlummerSoftening {
  Real eps_squared;

  static PlummerSoftening make(Real eps) { return {eps * eps}; }
  KOKKOS_FORCEINLINE_FUNCTION Real offset() const { return eps_squared; }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION Lanes acceleration_factor(Real m, Separation<Lanes> const& r) const {
    return simd::over_cubed_root(m, r.squared);
  }
  template <class Mass, class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION static Lanes scale_by_mass(Mass const& m, Lanes const& unit_factor) {
    return m * unit_factor;
  }
  template <class Mass, class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION Lanes depth(Mass const& /*m*/, Lanes const& factor,
                                          Separation<Lanes> const& r) const {
    return factor * r.squared;
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION Profile<Lanes> profile(Separation<Lanes> const& r) const {
    return detail::newtonian<Real, Lanes>(simd::over_cubed_root(Real(1), r.squared), r.squared);
  }
};

/// Newton's law. Coincident bodies (also a body and itself) exert no force on each other, since the
/// force has no direction. Their potential is infinite.
template <class Real>
struct NoSoftening {
  static NoSoftening make(Real /*eps*/) { return {}; }
  KOKKOS_FORCEINLINE_FUNCTION Real offset() const { return Real(0); }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION Lanes acceleration_factor(Real m, Separation<Lanes> const& r) const {
    Lanes const factor = simd::over_cubed_root(m, r.squared);
    return detail::zero_if_massless(m, r.squared > Real(0) ? factor : Lanes{});
  }
  template <class Mass, class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION static Lanes scale_by_mass(Mass const& m, Lanes const& unit_factor) {
    return detail::zero_if_massless(m, m * unit_factor);
  }
  template <class Mass, class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION Lanes depth(Mass const& m, Lanes const& factor,
                                          Separation<Lanes> const& r) const {
    Lanes const infinite = Lanes{} + Kokkos::Experimental::infinity_v<Real>;
    return detail::zero_if_massless(m, r.squared > Real(0) ? factor * r.squared : infinite);
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION Profile<Lanes> profile(Separation<Lanes> const& r) const {
    return detail::newtonian<Real, Lanes>(acceleration_factor(Real(1), r), r.squared);
  }
};

/// A potential G m / (15 H) sum of c_k u^k, k = -1 ... 7, of u = s / H between two radii. The c_k
/// are integers. Near H, where all laws join Newton's, powers of u cancel; powers of u - `about`
/// cancel by a factor of five at most (powers of u by 350).
struct PotentialPiece {
  double about;
  double c[9];
};

namespace detail {
/// The coefficient at u^(k - 2 n) in the n-th of the functions phi, f = phi' / u, f' / u, ...
constexpr double derived(PotentialPiece const& piece, int n, int k) {
  double c = piece.c[k + 1];
  for (int i = 0; i < n; ++i) c *= k - 2 * i;
  return c;
}
constexpr int lowest_power(PotentialPiece const& piece, int n) {
  int k = -1;
  while (derived(piece, n, k) == 0.0) ++k;
  return k;
}
constexpr int highest_power(PotentialPiece const& piece, int n) {
  int k = 7;
  while (derived(piece, n, k) == 0.0) --k;
  return k;
}
/// The coefficient at (u - about)^i in the n-th function divided by its lowest power.
constexpr double expanded(PotentialPiece const& piece, int n, int i) {
  int const lowest = lowest_power(piece, n);
  double sum = 0.0, binomial = 1.0, power = 1.0;
  for (int k = lowest + i; k <= highest_power(piece, n); ++k) {
    sum += binomial * power * derived(piece, n, k);
    binomial = binomial * (k - lowest + 1) / (k - lowest + 1 - i);
    power *= piece.about;
  }
  return sum / 15;
}
// Variables, so that device code uses constants and calls no host function.
template <class Piece, int n, int i>
inline constexpr double coefficient = expanded(Piece::potential, n, i);
template <class Piece, int n>
inline constexpr int lowest = lowest_power(Piece::potential, n);
template <class Piece>
inline constexpr double about = Piece::potential.about;
template <class Piece, int n>
inline constexpr int degree = highest_power(Piece::potential, n) - lowest<Piece, n>;

/// Horner's scheme for the terms below x^(i + 1).
template <class Piece, int n, int i, class Real, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION Lanes horner(Lanes const& sum, Lanes const& x) {
  if constexpr (i < 0) {
    return sum;
  } else if constexpr (coefficient<Piece, n, i> == 0.0) {
    return horner<Piece, n, i - 1, Real, Lanes>(sum * x, x);
  } else {
    return horner<Piece, n, i - 1, Real, Lanes>(sum * x + Real(coefficient<Piece, n, i>), x);
  }
}

/// The n-th function at u; over_u is 1 / u.
template <class Piece, int n, class Real, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION Lanes radial_function(Lanes const& u, Lanes const& over_u) {
  constexpr int top = degree<Piece, n>;
  constexpr int power = lowest<Piece, n> - 2 * n;
  Lanes value = horner<Piece, n, top - 1, Real, Lanes>(Lanes{} + Real(coefficient<Piece, n, top>),
                                                       u - Real(about<Piece>));
  for (int i = 0; i < power; ++i) value = value * u;
  for (int i = 0; i < -power; ++i) value = value * over_u;
  return value;
}
}  // namespace detail

/// The cubic spline of Monaghan & Lattanzio (1985, A&A 149, 135) as the density of a source
/// (Hernquist & Katz 1989, ApJS 70, 419; as in GADGET with H = 2.8 eps): Newtonian beyond H, with
/// the central depth of Plummer softening.
struct SplineCore {
  static constexpr PotentialPiece potential{0.0, {0, -42, 0, 80, 0, -144, 96, 0, 0}};
};
struct SplineEdge {
  static constexpr PotentialPiece potential{0.5, {1, -48, 0, 160, -240, 144, -32, 0, 0}};
};
struct Spline {
  using Core = SplineCore;
  using Edge = SplineEdge;
  static constexpr bool one_piece = false;  ///< the core ends at u = 1/2
  static constexpr double length = 2.8;     ///< H / eps
};

/// The C2 function of Wendland (1995, Adv. Comput. Math. 4, 389) as the density of a source (as in
/// SWIFT with H = 3 eps): Newtonian beyond H, with the central depth of Plummer softening.
struct WendlandPiece {
  static constexpr PotentialPiece potential{1.0, {0, -45, 0, 105, 0, -315, 420, -225, 45}};
};
struct WendlandC2 {
  using Core = WendlandPiece;
  using Edge = WendlandPiece;
  static constexpr bool one_piece = true;
  static constexpr double length = 3.0;
};

/// Sources of finite size H: points beyond it.
template <class Kernel, class Real>
struct CompactSoftening {
  Real H, over_H, over_H_cubed;

  static CompactSoftening make(Real eps) {
    Real const over_H = Real(1) / (Real(Kernel::length) * eps);
    return {Real(Kernel::length) * eps, over_H, over_H * over_H * over_H};
  }
  KOKKOS_FORCEINLINE_FUNCTION Real offset() const { return Real(0); }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION Lanes acceleration_factor(Real m, Separation<Lanes> const& r) const {
    RadialTerms<Lanes> const radial(*this, r.squared);
    return m * f(radial);
  }
  template <class Mass, class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION static Lanes scale_by_mass(Mass const& m, Lanes const& unit_factor) {
    return m * unit_factor;
  }
  template <class Mass, class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION Lanes depth(Mass const& m, Lanes const& /*factor*/,
                                          Separation<Lanes> const& r) const {
    RadialTerms<Lanes> const radial(*this, r.squared);
    return m * (radial.outside ? radial.inverse : radial.template inside<0>() * -over_H);
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION Profile<Lanes> profile(Separation<Lanes> const& r) const {
    RadialTerms<Lanes> const radial(*this, r.squared);
    auto const newton = detail::newtonian<Real, Lanes>(radial.cubed, r.squared);
    Lanes const core = radial.template inside<1>();
    return {radial.outside ? newton.f : core * over_H_cubed,
            radial.outside ? newton.g : radial.template inside<2>() / core,
            radial.outside ? newton.h : radial.template inside<3>() / core,
            radial.outside ? newton.w : Lanes{} + over_H * over_H};
  }

 private:
  /// Radial quantities of a pair: u, and the powers of the distance in Newton's law. For coincident
  /// bodies u and its inverse are 0, so that nothing is divided by 0.
  template <class Lanes>
  struct RadialTerms {
    Lanes cubed, inverse, u, over_u;
    decltype(Lanes{} > Lanes{}) outside, edge;

    KOKKOS_FORCEINLINE_FUNCTION RadialTerms(CompactSoftening const& softening,
                                            Lanes const& squared) {
      auto const apart = squared > Real(0);
      cubed = apart ? simd::over_cubed_root(Real(1), squared) : Lanes{};
      inverse = cubed * squared;
      u = (inverse * squared) * softening.over_H;
      over_u = inverse * softening.H;
      outside = u >= Real(1);
      edge = u >= Real(0.5);
    }
    template <int n>
    KOKKOS_FORCEINLINE_FUNCTION Lanes inside() const {
      Lanes const core = detail::radial_function<typename Kernel::Core, n, Real>(u, over_u);
      if constexpr (Kernel::one_piece) {
        return core;
      } else {
        return edge ? detail::radial_function<typename Kernel::Edge, n, Real>(u, over_u) : core;
      }
    }
  };

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION Lanes f(RadialTerms<Lanes> const& radial) const {
    return radial.outside ? radial.cubed : radial.template inside<1>() * over_H_cubed;
  }
};

template <class Real>
using SplineSoftening = CompactSoftening<Spline, Real>;
template <class Real>
using WendlandSoftening = CompactSoftening<WendlandC2, Real>;

/// Range of lengths in `Real`: the third power of a nonzero softening length must not underflow,
/// the square of a distance must not overflow.
template <class Real>
inline constexpr double smallest_softening = sizeof(Real) == 4 ? 1e-12 : 1e-100;
template <class Real>
inline constexpr double largest_length = sizeof(Real) == 4 ? 1e18 : 1e150;
/// Beyond this distance the inverse third power underflows, and the force vanishes.
template <class Real>
inline constexpr double largest_force_distance = sizeof(Real) == 4 ? 0x1p42 : 0x1p340;

}  // namespace apsis::forces
