// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel_codes.hpp"

/// The grid of shapes that `bench --sweep` times. All are of the tile loop; only the numbers
/// differ.
namespace apsis::forces {

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template <class Number>
std::vector<KernelCode<Number>> make_candidate_codes() {
  constexpr auto scratch = Staging::scratch;
  return {
      whole<Number, Shape<scratch, 256, 1, 2, 256, 8>>("register_tile"),
      whole<Number, Shape<scratch, 256, 1, 4, 256, 8>>("register_tile"),
      whole<Number, Shape<scratch, 256, 1, 4, 256, 16>>("register_tile"),
      whole<Number, Shape<scratch, 512, 1, 2, 512, 8>>("register_tile"),
      whole<Number, Shape<scratch, 1024, 1, 2, 1024, 8>>("register_tile"),
      in_parts<Number, Shape<scratch, 64, 1, 2, 64, 16>>("split"),
      in_parts<Number, Shape<scratch, 128, 1, 2, 128, 8>>("split"),
      in_parts<Number, Shape<scratch, 256, 1, 2, 128, 8>>("split"),
      in_parts<Number, Shape<scratch, 256, 1, 4, 128, 16>>("split"),
      in_panels<Number, Shape<Staging::lanes, 64, 1, 2, 64, 8>>("pairwise_tile"),
      in_panels<Number, Shape<Staging::lanes, 64, 1, 4, 64, 4>>("pairwise_tile"),
      in_panels<Number, Shape<Staging::lanes, 64, 1, 6, 64, 4>>("pairwise_tile"),
      in_panels<Number, Shape<Staging::lanes, 64, 1, 8, 64, 4>>("pairwise_tile"),
      in_panels<Number, Shape<Staging::lanes, 128, 1, 4, 128, 4>>("pairwise_tile"),
      in_panels<Number, Shape<Staging::lanes, 128, 1, 6, 128, 4>>("pairwise_tile"),
      in_panels<Number, Shape<Staging::lanes, 128, 1, 8, 128, 4>>("pairwise_tile"),
      in_panels<Number, Shape<Staging::lanes, 256, 1, 4, 256, 8>>("pairwise_tile"),
  };
}
#else
template <class Number>
std::vector<KernelCode<Number>> make_candidate_codes() {
  constexpr auto scratch = Staging::scratch;
  constexpr int lanes = simd::native_lanes<typename Number::Real>;
  return {
      whole<Number, Shape<scratch, 1, lanes, 1, 512, 1>>("register_tile"),
      whole<Number, Shape<scratch, 1, lanes, 2, 512, 1>>("register_tile"),
      whole<Number, Shape<scratch, 1, lanes, 3, 512, 1>>("register_tile"),
      whole<Number, Shape<scratch, 1, lanes, 4, 256, 1>>("register_tile"),
      in_parts<Number, Shape<scratch, 1, lanes, 2, 256, 1>>("split"),
      in_parts<Number, Shape<scratch, 1, lanes, 4, 256, 1>>("split"),
      in_panels<Number, Shape<Staging::lanes, 1, (lanes > 1 ? lanes : 4), 1, 128, 1>>(
          "pairwise_tile"),
      in_panels<Number, Shape<Staging::lanes, 1, (lanes > 1 ? lanes : 4), 2, 64, 1>>(
          "pairwise_tile"),
      in_panels<Number, Shape<Staging::lanes, 1, (lanes > 1 ? lanes : 4), 3, 128, 1>>(
          "pairwise_tile"),
      in_panels<Number, Shape<Staging::lanes, 1, (lanes > 1 ? lanes : 4), 2, 128, 1>>(
          "pairwise_tile"),
  };
}
#endif

template <class Number>
std::vector<KernelCode<Number>> const& candidate_codes() {
  static auto const codes = make_candidate_codes<Number>();
  return codes;
}

}  // namespace apsis::forces
