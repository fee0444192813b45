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
        to[row](i, axis) = sum_of_chunks(
            parts, [&](std::size_t part) { return from[row](part * count + i, axis); });
      });
}

template <int derivatives, class Stored>
Kokkos::Array<VectorColumns<Stored>, derivatives + 1> rows_of(Derivatives<Stored> const& of) {
  if constexpr (derivatives == 1) {
    return {of.acceleration, of.jerk};
  } else {
    return {of.acceleration, of.jerk, of.snap};
  }
}

template <class Number, template <class> class Softening, int derivatives>
MotionLaw<Number, Softening, derivatives> motion_law(
    MotionEvaluation<Number> const& evaluation,
    Derivatives<typename Number::Stored> const& results) {
  using Law = MotionLaw<Number, Softening, derivatives>;
  Evaluation<Number> const place{
      evaluation.space,       evaluation.bodies, evaluation.gravity, Wanted::acceleration, {}, {},
      {0, evaluation.targets}};
  Law law{law_of<Number, Softening, Wanted::acceleration>(place),
          {},
          rows_of<derivatives>(results),
          evaluation.listed};
  law.motion[0] = evaluation.bodies.velocity;
  if constexpr (derivatives == 2) law.motion[1] = evaluation.bodies.acceleration;
  return law;
}

/// Runs `sweep` with room for the parts, then adds them up.
template <class Number, int derivatives, class Sweep>
void in_parts_of(MotionEvaluation<Number> const& evaluation, MotionWorkspace<Number>& workspace,
                 std::size_t parts, Sweep const& sweep) {
  if (parts == 1) {
    sweep(evaluation.results);
    return;
  }
  auto& partial = workspace.partial;
  std::size_t const rows = parts * evaluation.targets;
  // Never smaller again: the number of targets changes from step to step.
  auto const enlarge = [&](auto& view, char const* label) {
    if (view.extent(0) < rows) reserve(evaluation.space, view, rows, label);
  };
  enlarge(partial.acceleration, "apsis::forces::direct::partial_acceleration");
  enlarge(partial.jerk, "apsis::forces::direct::partial_jerk");
  if (derivatives == 2) enlarge(partial.snap, "apsis::forces::direct::partial_snap");
  sweep(partial);
  combine_motion<derivatives + 1, typename Number::Stored>(
      evaluation.space, rows_of<derivatives>(evaluation.results), rows_of<derivatives>(partial),
      evaluation.targets, parts);
}

/// The tile loop, its sources in parts.
template <class Number, class Shape, class Softenings, int derivatives>
void sweep_motion(MotionEvaluation<Number> const& evaluation, MotionWorkspace<Number>& workspace) {
  std::size_t const bodies = evaluation.bodies.size();
  std::size_t const parts =
      split_chunks<Shape>(evaluation.targets, bodies, Shapes<ExecutionSpace, Number>::split_teams);
  in_parts_of<Number, derivatives>(evaluation, workspace, parts, [&](auto const& into) {
    Softenings::choose(evaluation.gravity, [&]<template <class> class Softening>() {
      using Law = MotionLaw<Number, Softening, derivatives>;
      auto const law = motion_law<Number, Softening, derivatives>(evaluation, into);
      TileLoop<Law, Shape>(law, bodies, {0, evaluation.targets}, parts)
          .launch(evaluation.space, "apsis::forces::direct::derivatives", parts);
    });
  });
}

/// Each pair of all bodies once.
template <class Number, class Shape, int derivatives>
void sweep_motion_pairs(MotionEvaluation<Number> const& evaluation,
                        MotionWorkspace<Number>& workspace) {
  std::size_t const bodies = evaluation.bodies.size();
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
void pick_motion(MotionEvaluation<Number> const& evaluation, MotionWorkspace<Number>& workspace) {
  using M = MotionShapes<ExecutionSpace, Number>;
  std::size_t const bodies = evaluation.bodies.size();
  bool const all = evaluation.listed.extent(0) == 0;
  if (has_size(evaluation.gravity)) {
    sweep_motion<Number, typename M::tile, Compact, derivatives>(evaluation, workspace);
  } else if (all && motion_by_pairs<ExecutionSpace, Number>(bodies)) {
    using Pairs = MotionPairs<ExecutionSpace, Number, derivatives>;
    sweep_motion_pairs<Number, Pairs, derivatives>(evaluation, workspace);
  } else if (evaluation.targets <= M::few_targets) {
    sweep_motion<Number, typename M::few, Pointlike, derivatives>(evaluation, workspace);
  } else {
    sweep_motion<Number, typename M::tile, Pointlike, derivatives>(evaluation, workspace);
  }
}

template <class Number>
void evaluate_motion(MotionEvaluation<Number> const& evaluation,
                     MotionWorkspace<Number>& workspace) {
  if (evaluation.targets == 0) return;
  if (evaluation.snap()) {
    pick_motion<Number, 2>(evaluation, workspace);
  } else {
    pick_motion<Number, 1>(evaluation, workspace);
  }
}

}  // namespace apsis::forces
