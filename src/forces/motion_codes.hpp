// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "motion.hpp"
#include "motion_law.hpp"
#include <apsis/forces/motion_shapes.hpp>
#include <apsis/forces/panel_loop.hpp>

/// The motion kernels of one precision; each precision is a file that instantiates them.
namespace apsis::forces {

/// Adds up the parts of each target, a column after the other.
template <int rows, class Stored>
void combine_motion(ExecutionSpace const& space,
                    Kokkos::Array<VectorColumns<Stored>, rows> const& to,
                    Kokkos::Array<VectorColumns<Stored>, rows> const& from, std::size_t count,
                    std::size_t parts) {
  Kokkos::parallel_for(
      "apsis::forces::direct::combine_motion",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0,
                                                                          3 * rows * count),
      KOKKOS_LAMBDA(std::size_t place) {
        std::size_t const column = place / count, i = place % count;
        std::size_t const row = column / 3, axis = column % 3;
        to[row](i, axis) = sum_of_parts(
            parts, [&](std::size_t part) { return from[row](part * count + i, axis); });
      });
}

template <int derivatives, class Stored>
Kokkos::Array<VectorColumns<Stored>, derivatives + 1> rows_of(Field<Stored> const& of) {
  if constexpr (derivatives == 1) {
    return {of.acceleration, of.jerk};
  } else {
    return {of.acceleration, of.jerk, of.snap};
  }
}

template <class Number, template <class> class Softening, int derivatives>
MotionLaw<Number, Softening, derivatives> motion_law(
    Evaluation<Number> const& evaluation, Field<typename Number::Stored> const& results) {
  auto const& sources = evaluation.sources;
  auto const& targets = evaluation.targets;
  MotionLaw<Number, Softening, derivatives> law{
      law_of<Number, Softening, Wanted::acceleration>(evaluation), {}, {}, {}, targets.listed};
  auto const rows = rows_of<derivatives>(results);
  for (int k = 0; k <= derivatives; ++k) law.results[k] = rows[k];
  law.motion[0] = sources.velocity;
  law.target_motion[0] = targets.velocity;
  if constexpr (derivatives == 2) {
    law.motion[1] = sources.acceleration;
    law.target_motion[1] = targets.acceleration;
  }
  return law;
}

/// Runs `sweep` with room for the parts, then adds them up.
template <class Number, int derivatives, class Sweep>
void in_parts_of(Evaluation<Number> const& evaluation, Workspace<Number>& workspace,
                 std::size_t parts, Sweep const& sweep) {
  if (parts == 1) {
    sweep(evaluation.into);
    return;
  }
  auto& partial = workspace;
  auto const& space = evaluation.space;
  std::size_t const rows = parts * evaluation.targets.size();
  reserve(space, partial.acceleration, rows, "apsis::forces::direct::partial");
  reserve(space, partial.jerk, rows, "apsis::forces::direct::partial_jerk");
  if (derivatives == 2) reserve(space, partial.snap, rows, "apsis::forces::direct::partial_snap");
  sweep(partial);
  combine_motion<derivatives + 1, typename Number::Stored>(
      evaluation.space, rows_of<derivatives>(evaluation.into), rows_of<derivatives>(partial),
      evaluation.targets.size(), parts);
}

/// The tile loop, its sources in parts.
template <class Number, class Shape, class Softenings, int derivatives>
void sweep_motion(Evaluation<Number> const& evaluation, Workspace<Number>& workspace) {
  auto const parts = split_parts<Number, Shape>(evaluation.sources, evaluation.targets.total);
  // A list says itself which rows are meant.
  BodyRange const rows = evaluation.targets.is_listed() ? BodyRange{0, evaluation.targets.size()}
                                                        : evaluation.targets.range;
  in_parts_of<Number, derivatives>(evaluation, workspace, parts.count, [&](auto const& into) {
    Softenings::choose(evaluation.gravity, [&]<template <class> class Softening>() {
      using Law = MotionLaw<Number, Softening, derivatives>;
      auto const law = motion_law<Number, Softening, derivatives>(evaluation, into);
      TileLoop<Law, Shape>(law, evaluation.sources.size(), rows, parts)
          .launch(evaluation.space, "apsis::forces::direct::derivatives");
    });
  });
}

/// Each pair of all bodies once.
template <class Number, class Shape, int derivatives>
void sweep_motion_pairs(Evaluation<Number> const& evaluation, Workspace<Number>& workspace) {
  std::size_t const bodies = evaluation.sources.size();
  std::size_t const panels = panel_count<Shape>(bodies, Shapes<ExecutionSpace, Number>::panels);
  in_parts_of<Number, derivatives>(evaluation, workspace, panels, [&](auto const& into) {
    Pointlike::choose(evaluation.gravity, [&]<template <class> class Softening>() {
      using Law = MotionLaw<Number, Softening, derivatives>;
      auto const law = motion_law<Number, Softening, derivatives>(evaluation, into);
      PanelLoop<Law, Shape>(law, bodies, panels)
          .launch(evaluation.space, "apsis::forces::direct::derivatives");
    });
  });
}

template <class Number, int derivatives>
void pick_motion(Evaluation<Number> const& evaluation, Workspace<Number>& workspace, bool mutual) {
  using M = MotionShapes<ExecutionSpace, Number>;
  if (has_size(evaluation.gravity)) {
    sweep_motion<Number, typename M::tile, Compact, derivatives>(evaluation, workspace);
  } else if (mutual && motion_by_pairs<ExecutionSpace, Number>(evaluation.sources.total)) {
    using Pairs = MotionPairs<ExecutionSpace, Number, derivatives>;
    sweep_motion_pairs<Number, Pairs, derivatives>(evaluation, workspace);
  } else if (evaluation.targets.total <= M::few_targets) {
    sweep_motion<Number, typename M::few, Pointlike, derivatives>(evaluation, workspace);
  } else {
    sweep_motion<Number, typename M::tile, Pointlike, derivatives>(evaluation, workspace);
  }
}

template <class Number>
void evaluate_motion(Evaluation<Number> const& evaluation, Workspace<Number>& workspace,
                     bool mutual) {
  if (evaluation.into.has_snap()) {
    pick_motion<Number, 2>(evaluation, workspace, mutual);
  } else {
    pick_motion<Number, 1>(evaluation, workspace, mutual);
  }
}

}  // namespace apsis::forces
