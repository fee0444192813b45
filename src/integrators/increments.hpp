// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/two_sum.hpp"

/// The additions of kicks and drifts. Values may be packs.
namespace apsis::integrators {

/// Plain sum: y += factor * rate, rounded to Real.
template <class Real, class Value>
KOKKOS_FORCEINLINE_FUNCTION void add_increment(Value& y, Real factor, Value const& rate) {
  y += factor * rate;
}

/// Compensated (Kahan) sum: y += factor * rate + remainder, after which `remainder` holds the
/// rounding error of that addition.
template <class Real, class Value>
KOKKOS_FORCEINLINE_FUNCTION void add_increment(Value& y, Value& remainder, Real factor,
                                               Value const& rate) {
  Value const increment = factor * rate + remainder;
  remainder = add_exactly(y, increment);
}

}  // namespace apsis::integrators
