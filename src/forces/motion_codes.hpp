// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "motion_law.hpp"
#include "shared_panels.hpp"
#include "sweep.hpp"
#include <apsis/forces/panel_loop.hpp>

/// The motion kernels of one precision; each precision is a file that instantiates them.
namespace apsis::forces {

template <class Number, template <class> class Softening, int derivatives>
MotionLaw<Number, Softening, derivatives> motion_law(Evaluation<Number> const& evaluation) {
  auto const& sources = evaluation.sources;
  auto const& targets = evaluation.targets;
  auto const& into = evaluation.into;
  MotionLaw<Number, Softening, derivatives> law{
      law_of<Number, Softening, Wanted::acceleration>(evaluation), {}, {}, {}};
  law.results[0] = into.acceleration;
  law.results[1] = into.jerk;
  law.motion[0] = sources.velocity;
  law.target_motion[0] = targets.velocity;
  if constexpr (derivatives == 2) {
    law.results[2] = into.snap;
    law.motion[1] = sources.acceleration;
    law.target_motion[1] = targets.acceleration;
  }
  return law;
}

/// As SumOfTargets, of accelerations and their rates of change. (In one launch with those it took
/// 2 us more: nvcc put the arguments that were chosen among on a stack.)
template <class Stored, int rows, class Held>
struct SumOfMotion {
  Kokkos::Array<VectorColumns<Stored>, rows> partial, sum;
  std::size_t count, first, step, parts;
  Held held;

  KOKKOS_FUNCTION void operator()(std::size_t place) const {
    unsigned const column = column_of<3 * rows>(place, count);
    std::size_t const i = place - column * count;
    unsigned const row = column / 3, axis = column % 3;
    sum[row](i, axis) =
        sum_of_parts(&partial[row](first + i, axis), step, parts, held.of(first + i));
  }
};

template <class Number, int rows, class Held>
void combine_held_motion(Evaluation<Number> const& to, Workspace<Number> const& from,
                         std::size_t parts, Held const& held) {
  using Stored = typename Number::Stored;
  auto const columns = [](auto const& of) -> Kokkos::Array<VectorColumns<Stored>, rows> {
    if constexpr (rows == 2) {
      return {of.acceleration, of.jerk};
    } else {
      return {of.acceleration, of.jerk, of.snap};
    }
  };
  Kokkos::parallel_for(
      "apsis::forces::direct::combine_motion", CombinePolicy(to.space, 0, 3 * rows * to.rows()),
      SumOfMotion<Stored, rows, Held>{columns(from), columns(to.into), to.rows(), to.own.first,
                                      to.targets.size(), parts, held});
}
template <class Number, int rows>
void combine_motion(Evaluation<Number> const& to, Workspace<Number> const& from,
                    std::size_t parts) {
  if (to.shared != nullptr) {
    combine_held_motion<Number, rows>(to, from, parts, to.exchange->held());
  } else {
    combine_held_motion<Number, rows>(to, from, parts, EveryRow{});
  }
}

/// The tile loop, its sources in parts.
template <class Number, class Shape, class Softenings, int derivatives>
void sweep_motion(Evaluation<Number> const& evaluation, Workspace<Number>& workspace) {
  auto const parts = split_parts<Number, Shape>(evaluation.sources, evaluation.targets.total);
  auto const part = into_workspace(evaluation, workspace, parts.count);
  Softenings::choose(evaluation.gravity, [&]<template <class> class Softening>() {
    using Law = MotionLaw<Number, Softening, derivatives>;
    TileLoop<Law, Shape>(motion_law<Number, Softening, derivatives>(part), part.sources.size(),
                         part.targets.rows(), parts)
        .launch(part.space, "apsis::forces::direct::derivatives");
  });
  if (parts.count > 1) combine_motion<Number, derivatives + 1>(evaluation, workspace, parts.count);
}

/// Each pair of all bodies once.
template <class Number, class Shape, int derivatives>
void sweep_motion_pairs(Evaluation<Number> const& evaluation, Workspace<Number>& workspace) {
  std::size_t const bodies = evaluation.sources.size();
  std::size_t const panels =
      panel_count<Shape>(bodies, Shapes<ExecutionSpace, Number>::motion_panels);
  auto const part = into_workspace(evaluation, workspace, panels);
  Pointlike::choose(evaluation.gravity, [&]<template <class> class Softening>() {
    using Law = MotionLaw<Number, Softening, derivatives>;
    PanelLoop<Law, Shape> const loop(motion_law<Number, Softening, derivatives>(part), bodies,
                                     panels);
    constexpr char const* label = "apsis::forces::direct::derivatives";
    if (part.shared != nullptr) {
      launch_shared(loop, part, label);
    } else {
      loop.launch(part.space, label);
    }
  });
  if (panels > 1 || part.shared != nullptr)
    combine_motion<Number, derivatives + 1>(evaluation, workspace, panels);
}

template <class Number, int derivatives>
void pick_motion(Evaluation<Number> const& evaluation, Workspace<Number>& workspace, bool mutual) {
  using S = Shapes<ExecutionSpace, Number>;
  if (has_size(evaluation.gravity)) {
    sweep_motion<Number, typename S::motion, Compact, derivatives>(evaluation, workspace);
  } else if (mutual && by_pairs<ExecutionSpace, Number>(evaluation.sources.total)) {
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
void evaluate_motion(Evaluation<Number> const& evaluation, Workspace<Number>& workspace,
                     bool mutual) {
  if (evaluation.into.has_snap()) {
    pick_motion<Number, 2>(evaluation, workspace, mutual);
  } else {
    pick_motion<Number, 1>(evaluation, workspace, mutual);
  }
}

}  // namespace apsis::forces
