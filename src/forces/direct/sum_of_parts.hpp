// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "panel_pairs.hpp"
#include <apsis/core/backend.hpp>

#include <Kokkos_Macros.hpp>

#include <cstddef>
#include <cstdint>

/// Sums of the parts of a target in a fixed hierarchy: eight consecutive parts form a group, eight
/// groups a block, and the blocks follow each other. The order depends on the number of parts
/// alone, and a rank that holds all parts of a group or block can add them up in advance.
namespace apsis::forces {

constexpr std::size_t parts_of_group = panels_of_group, parts_of_block = 64;

/// Mask of the parts of a block that hold a value, a bit for each part: all of them.
struct EveryPart {
  KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t operator()(std::size_t /*block*/) const {
    return ~std::uint64_t{0};
  }
};
/// Mask of the parts that are not included in another sum, one number per block.
struct HeldParts {
  std::uint64_t const* blocks;

  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(std::size_t block) const {
    return blocks[block];
  }
};

/// Adds up parts that are `step` elements apart. Parts that are not held are not read.
template <class Number, class Held = EveryPart>
KOKKOS_FORCEINLINE_FUNCTION Number sum_of_parts(Number const* part, std::size_t step,
                                                std::size_t parts, Held const& held = {}) {
  constexpr Number neutral = -Number(0);  // neutral element of the sum
  Number sum = neutral;
  for (std::size_t block = 0; parts > 0; ++block) {
    std::size_t in_block = parts < parts_of_block ? parts : parts_of_block;
    parts -= in_block;
    Number block_sum = neutral;
    std::uint64_t mask = held(block);
    if constexpr (on_gpu) {
      // Few threads with many parts each wait for memory: two groups are loaded at once, also if
      // fewer parts are left.
      constexpr unsigned group = parts_of_group, loaded_count = 2 * group;
      Number loaded[loaded_count];
      while (in_block > 0) {
        auto const left = static_cast<unsigned>(in_block < loaded_count ? in_block : loaded_count);
        APSIS_DEVICE_UNROLL
        for (unsigned k = 0; k < loaded_count; ++k) {
          loaded[k] = (mask >> k & 1) != 0 ? part[(k < left ? k : left - 1) * step] : neutral;
        }
        APSIS_DEVICE_UNROLL
        for (unsigned first = 0; first < loaded_count; first += group) {
          Number group_sum = neutral;
          APSIS_DEVICE_UNROLL
          for (unsigned k = first; k < first + group; ++k)
            group_sum += k < left ? loaded[k] : neutral;
          block_sum += group_sum;
        }
        part += left * step;
        in_block -= left;
        mask >>= loaded_count;
      }
    } else {
      while (in_block > 0) {
        std::size_t const in_group = in_block < parts_of_group ? in_block : parts_of_group;
        Number group_sum = neutral;
        for (std::size_t k = 0; k < in_group; ++k) {
          if ((mask >> k & 1) != 0) group_sum += part[k * step];
        }
        block_sum += group_sum;
        part += in_group * step;
        in_block -= in_group;
        mask >>= parts_of_group;
      }
    }
    sum += block_sum;
  }
  return sum;
}

}  // namespace apsis::forces
