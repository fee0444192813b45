// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

/// APSIS_INLINE_FUNCTION marks functions for host and device in headers that sources without Kokkos
/// include too. Such sources are compiled with APSIS_WITHOUT_KOKKOS.
#if defined(APSIS_WITHOUT_KOKKOS)
#define APSIS_INLINE_FUNCTION inline
#else
#include <Kokkos_Macros.hpp>
#define APSIS_INLINE_FUNCTION KOKKOS_INLINE_FUNCTION
#endif

namespace apsis {

/// Vector with three components.
template <class Real>
struct Vec3 {
  Real x{}, y{}, z{};

  APSIS_INLINE_FUNCTION constexpr Vec3& operator+=(Vec3 const& b) {
    x += b.x;
    y += b.y;
    z += b.z;
    return *this;
  }
  APSIS_INLINE_FUNCTION friend constexpr Vec3 operator+(Vec3 a, Vec3 const& b) { return a += b; }
  APSIS_INLINE_FUNCTION friend constexpr Vec3 operator-(Vec3 const& a, Vec3 const& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  APSIS_INLINE_FUNCTION friend constexpr Vec3 operator*(Real s, Vec3 const& a) {
    return {s * a.x, s * a.y, s * a.z};
  }
  friend constexpr bool operator==(Vec3 const&, Vec3 const&) = default;
};

template <class Real>
APSIS_INLINE_FUNCTION constexpr Real dot(Vec3<Real> const& a, Vec3<Real> const& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

template <class Real>
APSIS_INLINE_FUNCTION constexpr Vec3<Real> cross(Vec3<Real> const& a, Vec3<Real> const& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

template <class Real>
Real norm(Vec3<Real> const& a) {
  return std::sqrt(dot(a, a));
}

}  // namespace apsis
