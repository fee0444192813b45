// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "candidate_code.hpp"
#include "forces/direct/pairwise_tile.hpp"
#include <apsis/core/backend.hpp>

/// Grid of shapes that `bench --sweep` times. All are of the tile loop; only the numbers differ.
namespace apsis::forces {

template <class Number, class Shape>
KernelCode<Number> candidate_in_parts() {
  return {"split", Shape::numbers,
          [](Evaluation<Number> const& evaluation, Workspace<Number>& workspace) {
            sweep_parts<Number, Shape, PlummerAlone, Wants::acceleration>(
                evaluation, workspace,
                split_parts<Number, Shape>(evaluation.sources, evaluation.targets.total));
          }};
}
template <class Number, class Shape>
KernelCode<Number> candidate_in_panels() {
  return {"pairwise_tile", Shape::numbers,
          sweep_pairs<Number, Shape, PlummerAlone, Wants::acceleration>};
}

template <class Number>
std::vector<KernelCode<Number>> make_candidate_codes() {
  constexpr auto scratch = Staging::scratch;
  if constexpr (on_gpu) {
    return {
        candidate_whole<Number, Shape<scratch, 256, 1, 2, 256, 8>>("register_tile"),
        candidate_whole<Number, Shape<scratch, 256, 1, 4, 256, 8>>("register_tile"),
        candidate_whole<Number, Shape<scratch, 256, 1, 4, 256, 16>>("register_tile"),
        candidate_whole<Number, Shape<scratch, 512, 1, 2, 512, 8>>("register_tile"),
        candidate_whole<Number, Shape<scratch, 1024, 1, 2, 1024, 8>>("register_tile"),
        candidate_in_parts<Number, Shape<scratch, 64, 1, 2, 64, 16>>(),
        candidate_in_parts<Number, Shape<scratch, 128, 1, 2, 128, 8>>(),
        candidate_in_parts<Number, Shape<scratch, 256, 1, 2, 128, 8>>(),
        candidate_in_parts<Number, Shape<scratch, 256, 1, 4, 128, 16>>(),
        candidate_in_panels<Number, Shape<Staging::lanes, 64, 1, 2, 64, 8>>(),
        candidate_in_panels<Number, Shape<Staging::lanes, 64, 1, 4, 64, 4>>(),
        candidate_in_panels<Number, Shape<Staging::lanes, 64, 1, 6, 64, 4>>(),
        candidate_in_panels<Number, Shape<Staging::lanes, 64, 1, 8, 64, 4>>(),
        candidate_in_panels<Number, Shape<Staging::lanes, 128, 1, 4, 128, 4>>(),
        candidate_in_panels<Number, Shape<Staging::lanes, 128, 1, 6, 128, 4>>(),
        candidate_in_panels<Number, Shape<Staging::lanes, 128, 1, 8, 128, 4>>(),
        candidate_in_panels<Number, Shape<Staging::lanes, 256, 1, 4, 256, 8>>(),
    };
  } else {
    constexpr int lanes = simd::native_lanes<typename Number::Real>;
    return {
        candidate_whole<Number, Shape<scratch, 1, lanes, 1, 512, 1>>("register_tile"),
        candidate_whole<Number, Shape<scratch, 1, lanes, 2, 512, 1>>("register_tile"),
        candidate_whole<Number, Shape<scratch, 1, lanes, 3, 512, 1>>("register_tile"),
        candidate_whole<Number, Shape<scratch, 1, lanes, 4, 256, 1>>("register_tile"),
        candidate_in_parts<Number, Shape<scratch, 1, lanes, 2, 256, 1>>(),
        candidate_in_parts<Number, Shape<scratch, 1, lanes, 4, 256, 1>>(),
        candidate_in_panels<Number, Shape<Staging::lanes, 1, (lanes > 1 ? lanes : 4), 1, 128, 1>>(),
        candidate_in_panels<Number, Shape<Staging::lanes, 1, (lanes > 1 ? lanes : 4), 2, 64, 1>>(),
        candidate_in_panels<Number, Shape<Staging::lanes, 1, (lanes > 1 ? lanes : 4), 3, 128, 1>>(),
        candidate_in_panels<Number, Shape<Staging::lanes, 1, (lanes > 1 ? lanes : 4), 2, 128, 1>>(),
    };
  }
}

}  // namespace apsis::forces
