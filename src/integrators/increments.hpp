// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Macros.hpp>

/// The additions of kicks and drifts. Values may be packs.
namespace apsis::integrators {

/// Plain sum: y += factor * rate, rounded to Real.
template <class Real, class Value>
KOKKOS_FORCEINLINE_FUNCTION void add_increment(Value& y, Real factor, Value const& rate) {
  y += factor * rate;
}

/// Compensated (Kahan) sum: y += factor * rate + remainder, after which `remainder` holds the
/// rounding error of that addition. The error is computed without a branch and for any magnitudes
/// of y and the increment (Moller 1965, BIT 5, 37; also known as Knuth's TwoSum).
template <class Real, class Value>
KOKKOS_FORCEINLINE_FUNCTION void add_increment(Value& y, Value& remainder, Real factor,
                                               Value const& rate) {
  Value const increment = factor * rate + remainder;
  Value const before = y;
  Value const sum = before + increment;
  Value const rounded_increment = sum - before;
  remainder = (before - (sum - rounded_increment)) + (increment - rounded_increment);
  y = sum;
}

}  // namespace apsis::integrators
