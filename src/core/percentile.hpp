// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace apsis {

/// Returns the smallest of the ascending values that is not exceeded by this fraction of all values
/// (nearest-rank percentile); 0 if there are none. Used for all error percentiles that Apsis
/// reports.
inline double percentile(std::vector<double> const& ascending, double fraction) {
  if (ascending.empty()) return 0.0;
  double const rank = std::ceil(fraction * static_cast<double>(ascending.size()));
  return ascending[static_cast<std::size_t>(std::max(1.0, rank)) - 1];
}

/// Returns the median of the values, of which there is at least one; of an even number the larger
/// of the two in the middle. Reorders the values. O(N).
inline double upper_median(std::vector<double>& values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace apsis
