// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../sweep.hpp"
#include "curve_order.hpp"
#include "sweep_input.hpp"

/// Declares the sweep over cells, compiled for each order. Each precision and order has its own
/// file, sweep_PRECISION_ORDER.cpp: one of them takes half a minute to compile, and a build must
/// print something at least once a minute.
namespace apsis::forces::fmm {

/// Evaluates the targets of `input`, after the bodies are sorted in its workspace. Returns false if
/// an interaction list exceeded its limit.
template <class Number, int order>
bool sweep_order(Evaluation<Number> const& evaluation, SweepInput<Number> const& input);

}  // namespace apsis::forces::fmm
