// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/forces/shapes.hpp>

namespace apsis::forces {

/// The shapes of the kernels for accelerations with their rates of change, which take twice or
/// three times the registers: `tile` and `few` (for few targets, which do not fill more) of the
/// tile loop, `jerk_pairs` and `snap_pairs` of the panel loop.
template <class Space, class Number>
struct MotionShapes {
  static constexpr int lanes = simd::native_lanes<typename Number::Real>;
  using tile = Shape<Staging::scratch, 1, lanes, Number::split ? 1 : 2, 128, 1>;
  using few = Shape<Staging::scratch, 1, lanes, 1, 128, 1>;
  using jerk_pairs = Shape<Staging::lanes, 1, (lanes > 1 ? lanes : 4), 2, 128, 1>;
  using snap_pairs = Shape<Staging::lanes, 1, (lanes > 1 ? lanes : 4), 2, 64, 1>;
  static constexpr std::size_t few_targets = lanes;
};

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
namespace detail {
template <class Number>
struct DeviceMotionShapes {
  using tile = Shape<Staging::scratch, 128, 1, sizeof(typename Number::Real) == 8 ? 1 : 2, 128, 8>;
  using few = Shape<Staging::scratch, 64, 1, 1, 64, 8>;
  using jerk_pairs = Shape<Staging::lanes, 128, 1, 4, 128, 2>;
  using snap_pairs = Shape<Staging::lanes, 128, 1, 2, 128, 4>;
  static constexpr std::size_t few_targets = 64;
};
}  // namespace detail
#endif
#if defined(KOKKOS_ENABLE_CUDA)
template <class Number>
struct MotionShapes<Kokkos::Cuda, Number> : detail::DeviceMotionShapes<Number> {};
#endif
#if defined(KOKKOS_ENABLE_HIP)
template <class Number>
struct MotionShapes<Kokkos::HIP, Number> : detail::DeviceMotionShapes<Number> {};
#endif

/// The panel loop's shape for jerks (1) or for snaps too (2).
template <class Space, class Number, int derivatives>
using MotionPairs =
    std::conditional_t<derivatives == 1, typename MotionShapes<Space, Number>::jerk_pairs,
                       typename MotionShapes<Space, Number>::snap_pairs>;

/// Whether all of so many bodies are evaluated each pair once: from where forces alone are.
template <class Space, class Number>
constexpr bool motion_by_pairs(std::size_t bodies) {
  using S = Shapes<Space, Number>;
  return bodies >= S::pairwise_from && bodies < S::pairwise_below;
}

}  // namespace apsis::forces
