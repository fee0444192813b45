// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/forces/panel_pairs.hpp>

#include <Kokkos_Macros.hpp>

#include <cstddef>
#include <cstdint>

/// What a target gets from the parts of its sources, added up in sets of sets: eight parts first to
/// last are a group, eight groups a block, and the blocks follow each other. The order depends on
/// the number of parts alone, and who has all parts of a group or block can add them up for others.
namespace apsis::forces {

constexpr std::size_t parts_of_group = panels_of_group, parts_of_block = 64;

/// A bit for each part of a block that holds something: of all of them.
struct EveryPart {
  KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t operator()(std::size_t /*block*/) const {
    return ~std::uint64_t{0};
  }
};
/// The same of those that are not in the sum of others, a number for each block.
struct HeldParts {
  std::uint64_t const* blocks;

  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(std::size_t block) const {
    return blocks[block];
  }
};

/// Of parts that are `step` numbers apart. Those that are not held are not read.
template <class Number, class Held = EveryPart>
KOKKOS_FORCEINLINE_FUNCTION Number sum_of_parts(Number const* part, std::size_t step,
                                                std::size_t parts, Held const& held = {}) {
  constexpr Number nothing = -Number(0);  // changes no sum
  Number sum = nothing;
  for (std::size_t block = 0; parts > 0; ++block) {
    std::size_t in_block = parts < parts_of_block ? parts : parts_of_block;
    parts -= in_block;
    Number of_block = nothing;
    std::uint64_t is_held = held(block);
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
    // There are few threads, each with many parts, which wait for memory: two groups are under way
    // at once, also where fewer parts are left.
    constexpr unsigned group = parts_of_group, under_way = 2 * group;
    Number loaded[under_way];
    while (in_block > 0) {
      auto const left = static_cast<unsigned>(in_block < under_way ? in_block : under_way);
#pragma unroll
      for (unsigned k = 0; k < under_way; ++k) {
        loaded[k] = (is_held >> k & 1) != 0 ? part[(k < left ? k : left - 1) * step] : nothing;
      }
#pragma unroll
      for (unsigned first = 0; first < under_way; first += group) {
        Number of_group = nothing;
#pragma unroll
        for (unsigned k = first; k < first + group; ++k) of_group += k < left ? loaded[k] : nothing;
        of_block += of_group;
      }
      part += left * step;
      in_block -= left;
      is_held >>= under_way;
    }
#else
    while (in_block > 0) {
      std::size_t const in_group = in_block < parts_of_group ? in_block : parts_of_group;
      Number of_group = nothing;
      for (std::size_t k = 0; k < in_group; ++k) {
        if ((is_held >> k & 1) != 0) of_group += part[k * step];
      }
      of_block += of_group;
      part += in_group * step;
      in_block -= in_group;
      is_held >>= parts_of_group;
    }
#endif
    sum += of_block;
  }
  return sum;
}

}  // namespace apsis::forces
