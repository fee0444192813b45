// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

namespace apsis::forces {

/// Options of the solver `fmm`.
struct FmmOptions {
  /// Accuracy: 99th percentile of the relative errors of accelerations.
  double accuracy = 1e-3;
  /// Smaller numbers of bodies are summed over all pairs.
  std::size_t min_bodies = 0;
  /// Order of the expansions, 4 to 6. Default: the fastest for the accuracy.
  std::optional<int> order{};
  /// Fixed acceptance criteria; with either, the accuracy is not controlled. Opening angle: cells
  /// are well separated if the sum of their radii is less than this times their distance.
  std::optional<double> opening_angle{};
  /// Opening error: cells are well separated if (radii / distance)^order times the acceleration by
  /// one cell is less than this times the smallest acceleration in the other.
  std::optional<double> opening_error{};

  bool controls_accuracy() const { return !opening_angle && !opening_error; }
};

}  // namespace apsis::forces
