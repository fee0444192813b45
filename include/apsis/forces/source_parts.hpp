// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace apsis::forces {

/// Sources cut into `count` parts of `length`, whose sums are kept apart; the last may be shorter.
struct SourceParts {
  std::size_t count;
  std::size_t length;

  /// All of so many sources in `count` parts of whole tiles.
  static constexpr SourceParts of(std::size_t sources, std::size_t count, std::size_t tile) {
    std::size_t const tiles = (sources + tile - 1) / tile;
    return {count, (tiles + count - 1) / count * tile};
  }
  /// The parts that the first `here` of the sources are.
  constexpr SourceParts within(std::size_t here) const {
    return {length == 0 || here == 0 ? 1 : (here + length - 1) / length, length};
  }
};

}  // namespace apsis::forces
