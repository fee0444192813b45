// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sweep.hpp"

namespace apsis::forces {

/// Finds accelerations and jerks, and snaps if there is room for them, in the form that suits the
/// number of targets: each pair once where all of many bodies are asked for (`mutual`), else the
/// tile loop with its sources in as many parts as fill the machine.
template <class Number>
void evaluate_motion(Evaluation<Number> const& evaluation, Workspace<Number>& workspace,
                     bool mutual);

}  // namespace apsis::forces
