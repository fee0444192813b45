// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/forces/fmm_options.hpp>
#include <apsis/forces/precision.hpp>

#include <cstdint>

namespace apsis::forces::fmm {

/// Memory of sweeps over so many bodies, beside theirs [bytes]. What cells and their fields take is
/// known; of the lists, whose lengths the bodies decide, it is what a Plummer sphere's take, and a
/// third more. `of_some`: with sweeps over some of the bodies.
double workspace_bytes(Precision precision, FmmOptions const& options, std::uint64_t bodies,
                       bool of_some);

/// From how many bodies on a sweep takes less time than all pairs, measured.
std::size_t fewest_bodies(double accuracy);

/// Relative errors that remain whatever the accuracy, of 99 % of the bodies.
double least_accuracy(Precision precision);

}  // namespace apsis::forces::fmm
