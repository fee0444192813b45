// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/reductions.hpp>

#include <cstddef>

namespace apsis {

/// Bodies first ... first + count - 1 of a run: those of one process.
struct Share {
  std::size_t first;
  std::size_t count;
};

/// The bodies of process `rank` of `size`: blocks that follow each other and differ by no more than
/// one block of a sum in fixed order, so that such sums have the same bits whoever has which block.
constexpr Share share_of(std::size_t total, std::size_t rank, std::size_t size) {
  std::size_t const blocks = (total + fixed_sum_block - 1) / fixed_sum_block;
  auto const begin = [&](std::size_t process) {
    std::size_t const first = blocks * process / size * fixed_sum_block;
    return first < total ? first : total;
  };
  return {begin(rank), begin(rank + 1) - begin(rank)};
}

}  // namespace apsis
