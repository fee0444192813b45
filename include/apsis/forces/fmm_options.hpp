// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

namespace apsis::forces {

/// Options of the solver `fmm`.
struct FmmOptions {
  /// Accuracy: 99th percentile of the relative errors of accelerations.
  double accuracy = 1e-3;
  /// Number of bodies below which all pairs are summed.
  std::size_t min_bodies = 0;
  /// Order of the expansions, 4 to 6. Default: the fastest for the accuracy.
  std::optional<int> order{};
  // Fixed acceptance criteria. With either, the accuracy is not controlled.
  /// Cells are well separated if the sum of their radii is less than this times their distance.
  std::optional<double> opening_angle{};
  /// Cells are well separated if ((sum of their radii) / distance)^order times the acceleration by
  /// one cell is at most this times the smallest acceleration in the other, and the other way
  /// round.
  std::optional<double> opening_error{};

  bool controls_accuracy() const { return !opening_angle && !opening_error; }
};

}  // namespace apsis::forces
