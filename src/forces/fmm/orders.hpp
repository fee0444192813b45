// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "curve_order.hpp"
#include "forces/sweep.hpp"
#include "sweep_input.hpp"

/// Declares the sweep over cells, compiled for each expansion order. Each precision and order has
/// its own file, sweep_PRECISION_ORDER.cpp, since compiling one of them takes half a minute: so
/// they compile in parallel, and no build is silent for longer than that.
namespace apsis::forces::fmm {

/// Evaluates the targets of `input` with expansions of this order. Precondition: the bodies are
/// sorted in the workspace.
template <class Number, int order>
SweepOutcome sweep_with_order(Evaluation<Number> const& evaluation,
                              SweepInput<Number> const& input);

}  // namespace apsis::forces::fmm
