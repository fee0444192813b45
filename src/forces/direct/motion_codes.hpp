// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forces/sweep.hpp"
#include "motion_law.hpp"
#include "panel_loop.hpp"

/// Kernels for accelerations with derivatives, of one precision; each precision has a file that
/// instantiates them.
namespace apsis::forces {

template <class Number, template <class> class Softening, int derivatives>
MotionLaw<Number, Softening, derivatives> motion_law(Evaluation<Number> const& evaluation) {
  auto const& sources = evaluation.sources;
  auto const& targets = evaluation.targets;
  auto const& output = evaluation.output;
  MotionLaw<Number, Softening, derivatives> law{
      make_law<Number, Softening, Wants::acceleration>(evaluation), {}, {}, {}};
  law.results[0] = output.acceleration;
  law.results[1] = output.jerk;
  law.motion[0] = sources.velocity;
  law.target_motion[0] = targets.velocity;
  if constexpr (derivatives == 2) {
    law.results[2] = output.snap;
    law.motion[1] = sources.acceleration;
    law.target_motion[1] = targets.acceleration;
  }
  return law;
}

/// Like SumTargetParts, for accelerations and their derivatives. (A single launch for both took 2
/// us more: nvcc put the selected arguments on a stack.)
template <class Stored, int rows, class Held>
struct SumOfMotion {
  Kokkos::Array<VectorColumns<Stored>, rows> partial, sum;
  std::size_t count, first, step, parts;
  Held held;

  KOKKOS_FUNCTION void operator()(std::size_t index) const {
    unsigned const column = column_of<3 * rows>(index, count);
    std::size_t const i = index - column * count;
    unsigned const row = column / 3, axis = column % 3;
    sum[row](i, axis) =
        sum_of_parts(&partial[row](first + i, axis), step, parts, held.parts(first + i));
  }
};

template <class Number, int rows, class Held>
void combine_held_motion(Evaluation<Number> const& evaluation, Workspace<Number> const& workspace,
                         std::size_t parts, Held const& held) {
  using Stored = typename Number::Stored;
  auto const columns = [](auto const& field) -> Kokkos::Array<VectorColumns<Stored>, rows> {
    if constexpr (rows == 2) {
      return {field.acceleration, field.jerk};
    } else {
      return {field.acceleration, field.jerk, field.snap};
    }
  };
  Kokkos::parallel_for("apsis::forces::direct::combine_motion",
                       CombinePolicy(evaluation.space, 0, 3 * rows * evaluation.rows()),
                       SumOfMotion<Stored, rows, Held>{
                           columns(workspace), columns(evaluation.output), evaluation.rows(),
                           evaluation.share.first, evaluation.targets.size(), parts, held});
}
template <class Number, int rows>
void combine_motion(Evaluation<Number> const& evaluation, Workspace<Number> const& workspace,
                    std::size_t parts) {
  if (evaluation.shared != nullptr) {
    combine_held_motion<Number, rows>(evaluation, workspace, parts, evaluation.exchange->held());
  } else {
    combine_held_motion<Number, rows>(evaluation, workspace, parts, EveryRow{});
  }
}

/// The tile loop with the sources in parts.
template <class Number, class Shape, class Softenings, int derivatives>
void sweep_motion(Evaluation<Number> const& evaluation, Workspace<Number>& workspace) {
  auto const parts = split_parts<Number, Shape>(evaluation.sources, evaluation.targets.total);
  auto const partial = redirect_to_workspace(evaluation, workspace, parts.count);
  Softenings::choose(evaluation.gravity, [&]<template <class> class Softening>() {
    using Law = MotionLaw<Number, Softening, derivatives>;
    TileLoop<Law, Shape>(motion_law<Number, Softening, derivatives>(partial),
                         partial.sources.size(), partial.targets.rows.bounds(), parts)
        .launch(partial.space, "apsis::forces::direct::derivatives");
  });
  if (parts.count > 1) combine_motion<Number, derivatives + 1>(evaluation, workspace, parts.count);
}

/// Each pair of all bodies once.
template <class Number, class Shape, int derivatives>
void sweep_motion_pairs(Evaluation<Number> const& evaluation, Workspace<Number>& workspace) {
  std::size_t const bodies = evaluation.sources.size();
  std::size_t const panels =
      panel_count<Shape>(bodies, Shapes<ExecutionSpace, Number>::motion_panels);
  auto const partial = redirect_to_workspace(evaluation, workspace, panels);
  Pointlike::choose(evaluation.gravity, [&]<template <class> class Softening>() {
    using Law = MotionLaw<Number, Softening, derivatives>;
    PanelLoop<Law, Shape> const loop(motion_law<Number, Softening, derivatives>(partial), bodies,
                                     panels);
    constexpr char const* label = "apsis::forces::direct::derivatives";
    if (partial.shared != nullptr) {
      launch_shared(loop, partial, label);
    } else {
      loop.launch(partial.space, label);
    }
  });
  if (panels > 1 || partial.shared != nullptr)
    combine_motion<Number, derivatives + 1>(evaluation, workspace, panels);
}

template <class Number, int derivatives>
void pick_motion(Evaluation<Number> const& evaluation, Workspace<Number>& workspace, bool mutual) {
  using S = Shapes<ExecutionSpace, Number>;
  if (has_size(evaluation.gravity)) {
    sweep_motion<Number, typename S::motion, Compact, derivatives>(evaluation, workspace);
  } else if (mutual && uses_pairwise<ExecutionSpace, Number>(evaluation.sources.total)) {
    using Pairs =
        std::conditional_t<derivatives == 1, typename S::jerk_pairs, typename S::snap_pairs>;
    sweep_motion_pairs<Number, Pairs, derivatives>(evaluation, workspace);
  } else if (evaluation.targets.total <= S::few_targets) {
    sweep_motion<Number, typename S::motion_of_few, Pointlike, derivatives>(evaluation, workspace);
  } else {
    sweep_motion<Number, typename S::motion, Pointlike, derivatives>(evaluation, workspace);
  }
}

template <class Number>
void evaluate_motion_of_few(Evaluation<Number> const& evaluation, Workspace<Number>& workspace) {
  using Shape = typename Shapes<ExecutionSpace, Number>::motion_of_few;
  if (evaluation.output.has(Wants::snap)) {
    sweep_motion<Number, Shape, AnySoftening, 2>(evaluation, workspace);
  } else {
    sweep_motion<Number, Shape, AnySoftening, 1>(evaluation, workspace);
  }
}

template <class Number>
void evaluate_motion(Evaluation<Number> const& evaluation, Workspace<Number>& workspace,
                     bool mutual) {
  if (evaluation.output.has(Wants::snap)) {
    pick_motion<Number, 2>(evaluation, workspace, mutual);
  } else {
    pick_motion<Number, 1>(evaluation, workspace, mutual);
  }
}

}  // namespace apsis::forces
