// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sweep.hpp"
#include <apsis/forces/panel_loop.hpp>

namespace apsis::forces {

/// Evaluates all bodies, whatever targets are asked for: a pair has two.
template <class Number, class Shape>
void sweep_panels(Evaluation<Number> const& evaluation, Workspace<Number>& workspace) {
  std::size_t const bodies = evaluation.bodies.size();
  APSIS_EXPECT(evaluation.targets.count == bodies, "pairs of panels are those of all bodies");
  std::size_t const panels = panel_count<Shape>(bodies);
  auto const part = into_workspace(evaluation, workspace, panels);
  with_law<Number, Wanted::acceleration, Wanted::both>(part, [&](auto const& law) {
    using Law = std::remove_cvref_t<decltype(law)>;
    PanelLoop<Law, Shape>(law, bodies, panels).launch(part.space, label_of(part.wanted));
  });
  if (panels > 1) combine(evaluation, workspace, panels);
}

}  // namespace apsis::forces
