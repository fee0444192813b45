// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Macros.hpp>

#include <cstddef>

/// What a target gets from the parts of its sources, added up: the parts of a group first to last,
/// then the groups. The order depends on the number of parts alone, and who has all of a group can
/// add it up for others.
namespace apsis::forces {

constexpr std::size_t parts_of_group = 8;

/// Of parts that are `step` numbers apart; a group at most.
template <class Number>
KOKKOS_FORCEINLINE_FUNCTION Number sum_of_group(Number const* part, std::size_t step,
                                                std::size_t parts) {
  Number sum = *part;
  for (std::size_t k = 1; k < parts; ++k) sum += part[k * step];
  return sum;
}

template <class Number>
KOKKOS_FORCEINLINE_FUNCTION Number sum_of_parts(Number const* part, std::size_t step,
                                                std::size_t parts) {
  Number sum = -Number(0);  // changes no sum
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  // There are few threads, each with many parts, which wait for memory: two groups are under way at
  // once, also where fewer parts are left.
  constexpr unsigned group = parts_of_group, under_way = 2 * group;
  Number loaded[under_way];
  while (parts > 0) {
    auto const left = static_cast<unsigned>(parts < under_way ? parts : under_way);
#pragma unroll
    for (unsigned k = 0; k < under_way; ++k) loaded[k] = part[(k < left ? k : left - 1) * step];
#pragma unroll
    for (unsigned first = 0; first < under_way; first += group) {
      Number of_group = first < left ? loaded[first] : -Number(0);
#pragma unroll
      for (unsigned k = 1; k < group; ++k) {
        of_group += first + k < left ? loaded[first + k] : -Number(0);
      }
      sum += of_group;
    }
    part += left * step;
    parts -= left;
  }
#else
  for (std::size_t first = 0; first < parts; first += parts_of_group) {
    std::size_t const left = parts - first;
    sum += sum_of_group(part + first * step, step, left < parts_of_group ? left : parts_of_group);
  }
#endif
  return sum;
}

}  // namespace apsis::forces
