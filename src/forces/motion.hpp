// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sweep.hpp"
#include <apsis/forces/derivatives.hpp>

namespace apsis::forces {

/// One evaluation of accelerations and their rates of change.
template <class Number>
struct MotionEvaluation {
  using Stored = typename Number::Stored;
  ExecutionSpace space;
  Bodies<Stored> bodies;  ///< accelerations count if a snap is asked for
  Gravity gravity;
  Derivatives<Stored> results;
  BodyList listed;  ///< empty: all bodies
  std::size_t targets;

  bool snap() const { return results.snap.extent(0) != 0; }
};

/// Sums per part of the sources, kept between evaluations.
template <class Number>
struct MotionWorkspace {
  Derivatives<typename Number::Stored> partial;
};

/// Evaluates in the form that suits the number of targets: each pair once where all of many bodies
/// are asked for, else the tile loop with its sources in as many parts as fill the machine.
template <class Number>
void evaluate_motion(MotionEvaluation<Number> const& evaluation,
                     MotionWorkspace<Number>& workspace);

}  // namespace apsis::forces
