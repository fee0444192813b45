// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/reductions.hpp>

#include <cstddef>

namespace apsis {

/// Range first ... first + count - 1 of the bodies of a run that one rank holds.
struct Share {
  std::size_t first;
  std::size_t count;
};

/// Returns the range of bodies of rank `rank` of `size`. Ranges are contiguous and in the order of
/// ranks. They consist of whole blocks of sums in fixed order, so these sums are bitwise
/// independent of the number of ranks; sizes differ by at most one block.
constexpr Share share_of(std::size_t total, std::size_t rank, std::size_t size) {
  std::size_t const blocks = (total + fixed_sum_block - 1) / fixed_sum_block;
  auto const begin = [&](std::size_t r) {
    std::size_t const first = blocks * r / size * fixed_sum_block;
    return first < total ? first : total;
  };
  return {begin(rank), begin(rank + 1) - begin(rank)};
}

}  // namespace apsis
