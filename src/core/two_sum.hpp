// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Macros.hpp>

namespace apsis {

/// Adds `increment` to `y` and returns the rounding error of the addition, so that the new y plus
/// the result equals the exact sum. Without a branch and for any magnitudes (Moller 1965, BIT 5,
/// 37; also known as Knuth's TwoSum). Values may be packs. An increment that is a product must be
/// rounded before: the compiler may contract each of its uses with another addition.
template <class Value>
KOKKOS_FORCEINLINE_FUNCTION Value add_exactly(Value& y, Value const& increment) {
  Value const before = y;
  Value const sum = before + increment;
  Value const rounded_increment = sum - before;
  y = sum;
  return (before - (sum - rounded_increment)) + (increment - rounded_increment);
}

}  // namespace apsis
