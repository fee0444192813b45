// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forces/sweep.hpp"
#include "panel_loop.hpp"

namespace apsis::forces {

/// Evaluates all bodies, since a pair has two targets. If only some are requested, an equal share
/// of the pairs is evaluated without a result, for timing.
template <class Number, class Shape, class Softenings, Wants... choices>
void sweep_pairs(Evaluation<Number> const& evaluation, Workspace<Number>& workspace) {
  std::size_t const bodies = evaluation.sources.size();
  std::size_t const panels =
      panel_count<Shape>(bodies, Shapes<ExecutionSpace, Number>::panels(bodies));
  bool const has_all_targets = evaluation.targets.size() == bodies;
  auto all_targets = evaluation.targets;
  all_targets.rows = BodyRows::all(bodies);
  auto const partial = redirect_to_workspace<Number>(
      {evaluation.space, evaluation.gravity, evaluation.sources, all_targets, evaluation.output,
       evaluation.shared, evaluation.share, evaluation.exchange},
      workspace, panels);
  with_law<Number, Softenings, choices...>(partial, [&](auto const& law) {
    using Law = std::remove_cvref_t<decltype(law)>;
    PanelLoop<Law, Shape> const loop(law, bodies, panels);
    if (partial.shared != nullptr)
      return launch_shared(loop, partial, launch_label(partial.output.wants));
    auto const pairs_of = [&](std::size_t body_count) {
      return loop.pairs() * body_count / bodies;
    };
    auto const range = evaluation.targets.rows.bounds();
    std::size_t const first = pairs_of(range.first);
    std::size_t const last = pairs_of(range.first + range.count);
    loop.launch(partial.space, launch_label(partial.output.wants), first, last - first);
  });
  if (has_all_targets && (panels > 1 || partial.shared != nullptr))
    combine(evaluation, workspace, panels);
}

template <class Number, class Shape>
void sweep_panels(Evaluation<Number> const& evaluation, Workspace<Number>& workspace) {
  sweep_pairs<Number, Shape, Pointlike, Wants::acceleration, Wants::acceleration_and_potential>(
      evaluation, workspace);
}

}  // namespace apsis::forces
