// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../sweep.hpp"
#include "curve_order.hpp"
#include "fmm_evaluation.hpp"

/// The orders that sweeps over cells are compiled for. Each precision and order is a file of its
/// own, sweep_PRECISION_ORDER.cpp: one alone takes half a minute to compile, and a build must say
/// something at least once a minute.
namespace apsis::forces::fmm {

/// Evaluates all bodies, which kept.along has in order. Returns whether it could: lists that are
/// too long are given up.
template <class Number, int order>
bool sweep_order(Evaluation<Number> const& evaluation, FmmEvaluation<Number> const& of);

}  // namespace apsis::forces::fmm
