// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "shared_panels.hpp"
#include "sweep.hpp"
#include <apsis/forces/panel_loop.hpp>

namespace apsis::forces {

/// Evaluates all bodies: a pair has two targets. If only some are asked for, as large a share of
/// the pairs is worked through, without a result: enough to time it.
template <class Number, class Shape, class Softenings, Wanted... choices>
void sweep_pairs(Evaluation<Number> const& evaluation, Workspace<Number>& workspace) {
  std::size_t const bodies = evaluation.sources.size();
  std::size_t const panels =
      panel_count<Shape>(bodies, Shapes<ExecutionSpace, Number>::panels(bodies));
  bool const all = evaluation.targets.size() == bodies;
  auto everybody = evaluation.targets;
  everybody.range = {0, bodies};
  auto const part = into_workspace<Number>(
      {evaluation.space, evaluation.gravity, evaluation.sources, everybody, evaluation.into,
       evaluation.shared, evaluation.own, evaluation.exchange},
      workspace, panels);
  with_law<Number, Softenings, choices...>(part, [&](auto const& law) {
    using Law = std::remove_cvref_t<decltype(law)>;
    PanelLoop<Law, Shape> const loop(law, bodies, panels);
    if (part.shared != nullptr) return launch_shared(loop, part, label_of(part.wanted()));
    auto const share = [&](std::size_t of_bodies) { return loop.pairs() * of_bodies / bodies; };
    std::size_t const first = share(evaluation.targets.range.first);
    std::size_t const last = share(evaluation.targets.range.first + evaluation.targets.size());
    loop.launch(part.space, label_of(part.wanted()), first, last - first);
  });
  if (all && (panels > 1 || part.shared != nullptr)) combine(evaluation, workspace, panels);
}

template <class Number, class Shape>
void sweep_panels(Evaluation<Number> const& evaluation, Workspace<Number>& workspace) {
  sweep_pairs<Number, Shape, Pointlike, Wanted::acceleration, Wanted::both>(evaluation, workspace);
}

}  // namespace apsis::forces
