// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forces/fmm/tree/cell_tree.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/forces/fmm_options.hpp>
#include <apsis/forces/precision.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// Tuning: sizes of batches, expansion order, and estimates for a run before anything is allocated.
namespace apsis::forces::fmm {

/// Level of the first targets. The cells above are few and large and hardly ever well separated,
/// and each level costs time.
inline constexpr int default_top_level = 5;

/// Number of source parts of each target of a level: a power of two. Many parts let the few targets
/// of the upper levels keep the machine busy.
inline int source_part_count(int level) {
  constexpr int groups = by_backend(64, 4096), max_parts = by_backend(8, 64);
  return level < 30 ? std::clamp(groups >> level, 1, max_parts) : 1;
}

/// Fastest expansion order for an accuracy, measured.
inline int default_order(double accuracy) {
  constexpr double min_for_order_four = by_backend(5e-3, 2e-3);
  return accuracy < 5e-4 ? 6 : accuracy < min_for_order_four ? 5 : 4;
}

/// Range of the orders that operators are compiled for.
constexpr int min_order = 4, max_order = 6;
inline int expansion_order(FmmOptions const& options) {
  return std::clamp(options.order.value_or(default_order(options.accuracy)), min_order, max_order);
}

/// Leaves per batch: a quarter of them within limits. A batch needs most of the memory for
/// interaction lists.
constexpr CellId min_batch = 1 << 15, max_batch = 1 << 18;
inline CellId leaves_per_batch(CellId leaves) {
  return std::clamp((leaves + 3) / 4, min_batch, max_batch);
}

/// Memory of the interaction lists per leaf of a batch, and of those of the cells above per leaf:
/// measured for a Plummer sphere at an accuracy of 1e-3, plus a third [bytes].
inline constexpr double list_bytes_per_leaf = 3060.0, upper_list_bytes_per_leaf = 1800.0;

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
