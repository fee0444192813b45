// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/forces/fmm_options.hpp>
#include <apsis/forces/precision.hpp>

#include <cstdint>

/// Estimates for a run with the solver `fmm`, before anything is allocated.
namespace apsis::forces::fmm {

/// Memory of sweeps over `bodies` bodies, in addition to that of the bodies [bytes]. The memory of
/// cells and local expansions is exact. The lengths of interaction lists depend on the bodies: the
/// estimate is that of a Plummer sphere, plus a third. `has_subset_requests`: includes the memory
/// for sweeps over a subset of the bodies.
double workspace_bytes(Precision precision, FmmOptions const& options, std::uint64_t bodies,
                       bool has_subset_requests);

/// Number of bodies from which a sweep is faster than sums over all pairs, measured.
std::size_t min_bodies(double accuracy);

/// Smallest accuracy that a precision can reach: 99th percentile of the relative errors [1].
double smallest_accuracy(Precision precision);

}  // namespace apsis::forces::fmm
