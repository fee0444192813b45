// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forces/sweep.hpp"

/// Shapes that `bench --sweep` times beside the ladder's, for Plummer softening only.
namespace apsis::forces {

struct PlummerAlone {
  template <class Function>
  static void choose(Gravity const&, Function const& run) {
    run.template operator()<PlummerSoftening>();
  }
};

/// Kernel without source parts: each team sums over all sources.
template <class Number, class Shape>
KernelCode<Number> candidate_whole(char const* kernel) {
  return {kernel, Shape::numbers,
          [](Evaluation<Number> const& evaluation, Workspace<Number>& workspace) {
            sweep_parts<Number, Shape, PlummerAlone, Wants::acceleration>(
                evaluation, workspace,
                SourceParts::make(evaluation.sources.size(), 1, Shape::tile));
          }};
}

/// Candidates for the kernels below register_tile, and for the others.
template <class Number>
std::vector<KernelCode<Number>> make_ladder_candidates();
template <class Number>
std::vector<KernelCode<Number>> make_candidate_codes();

}  // namespace apsis::forces
