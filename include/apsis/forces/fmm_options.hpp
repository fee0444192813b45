// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

namespace apsis::forces {

struct FmmOptions {
  /// Relative errors of accelerations that 99 % of the bodies stay within.
  double accuracy = 1e-3;
  /// Below so many bodies all pairs are summed.
  std::size_t fewest = 0;
  /// Of the expansions, 4 to 6; if it is not given what costs least for that accuracy.
  std::optional<int> order{};
  /// One of these, and the accuracy is not looked after: two cells are far from each other where
  /// their radii are together less than this times their distance,
  std::optional<double> opening_angle{};
  /// or where (radii / distance)^order of a pull is less than this of the least pull in the other.
  std::optional<double> opening_error{};

  bool looks_after_accuracy() const { return !opening_angle && !opening_error; }
};

}  // namespace apsis::forces
