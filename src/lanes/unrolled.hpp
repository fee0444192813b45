// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Macros.hpp>

#include <utility>

namespace apsis {

/// Calls body<0>() ... body<count - 1>().
template <int count, class Body>
KOKKOS_FORCEINLINE_FUNCTION void unrolled(Body const& body) {
  [&]<int... k>(std::integer_sequence<int, k...>) __attribute__((always_inline)) {
    (body.template operator()<k>(), ...);
  }
  (std::make_integer_sequence<int, count>());
}

}  // namespace apsis
