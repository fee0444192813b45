// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace apsis::forces {

/// Sources cut into `count` parts of `length`, which are summed separately; the last may be
/// shorter.
struct SourceParts {
  std::size_t count;
  std::size_t length;

  /// Cuts `sources` sources into `count` parts of whole tiles.
  static constexpr SourceParts make(std::size_t sources, std::size_t count, std::size_t tile) {
    std::size_t const tiles = (sources + tile - 1) / tile;
    return {count, (tiles + count - 1) / count * tile};
  }
  /// The parts that cover the first `available` sources.
  constexpr SourceParts covering(std::size_t available) const {
    return {length == 0 || available == 0 ? 1 : (available + length - 1) / length, length};
  }
};

}  // namespace apsis::forces
