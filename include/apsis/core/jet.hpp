// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Macros.hpp>
#include <Kokkos_MathematicalFunctions.hpp>

/// Taylor coefficients of a function of time. A formula that is evaluated with jets instead of
/// numbers gives its derivatives with respect to time, exact to rounding (Griewank & Walther 2008,
/// Evaluating Derivatives, chapter 13).
namespace apsis {

/// x(t + h) = c[0] + c[1] h + ... + c[order] h^order. The k-th derivative is k! c[k].
template <int order>
struct Jet {
  static_assert(order >= 1);
  double c[order + 1] = {};

  Jet() = default;
  /// A constant.
  KOKKOS_FORCEINLINE_FUNCTION Jet(double value) : c{value} {}

  KOKKOS_FORCEINLINE_FUNCTION Jet& operator+=(Jet const& b) {
    for (int k = 0; k <= order; ++k) c[k] += b.c[k];
    return *this;
  }
  friend KOKKOS_FORCEINLINE_FUNCTION Jet operator+(Jet a, Jet const& b) { return a += b; }
  friend KOKKOS_FORCEINLINE_FUNCTION Jet operator-(Jet a) {
    for (double& coefficient : a.c) coefficient = -coefficient;
    return a;
  }
  friend KOKKOS_FORCEINLINE_FUNCTION Jet operator-(Jet const& a, Jet const& b) { return a + -b; }
  friend KOKKOS_FORCEINLINE_FUNCTION Jet operator*(Jet const& a, Jet const& b) {
    Jet product;
    for (int k = 0; k <= order; ++k) {
      for (int j = 0; j <= k; ++j) product.c[k] += a.c[j] * b.c[k - j];
    }
    return product;
  }
  friend KOKKOS_FORCEINLINE_FUNCTION Jet operator/(Jet const& a, Jet const& b) {
    Jet quotient;
    for (int k = 0; k <= order; ++k) {
      double rest = a.c[k];
      for (int j = 1; j <= k; ++j) rest -= b.c[j] * quotient.c[k - j];
      quotient.c[k] = rest / b.c[0];
    }
    return quotient;
  }
  friend KOKKOS_FORCEINLINE_FUNCTION Jet square_root(Jet const& a) {
    Jet root;
    root.c[0] = Kokkos::sqrt(a.c[0]);
    for (int k = 1; k <= order; ++k) {
      double rest = a.c[k];
      for (int j = 1; j < k; ++j) rest -= root.c[j] * root.c[k - j];
      root.c[k] = 0.5 * rest / root.c[0];
    }
    return root;
  }
  friend KOKKOS_FORCEINLINE_FUNCTION Jet logarithm(Jet const& a) {
    Jet result;
    result.c[0] = Kokkos::log(a.c[0]);
    for (int k = 1; k <= order; ++k) {
      double rest = k * a.c[k];
      for (int j = 1; j < k; ++j) rest -= j * result.c[j] * a.c[k - j];
      result.c[k] = rest / (k * a.c[0]);
    }
    return result;
  }
  /// The number itself, for comparisons.
  friend KOKKOS_FORCEINLINE_FUNCTION double value_of(Jet const& a) { return a.c[0]; }
};

// Plain numbers have these functions too.
KOKKOS_FORCEINLINE_FUNCTION double square_root(double a) {
  return Kokkos::sqrt(a);
}
KOKKOS_FORCEINLINE_FUNCTION double logarithm(double a) {
  return Kokkos::log(a);
}
KOKKOS_FORCEINLINE_FUNCTION double value_of(double a) {
  return a;
}

}  // namespace apsis
