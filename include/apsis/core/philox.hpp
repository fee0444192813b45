// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace apsis {

/// Philox4x32-10 (Salmon et al. 2011, SC11, "Parallel random numbers: as easy as 1, 2, 3"): four
/// random words that are a function of a counter and a key, with no state in between.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);

/// The same from halves of the counter, lower first, and a seed.
std::array<std::uint32_t, 4> philox(std::uint64_t block, std::uint64_t stream, std::uint64_t seed);

/// Two words as a number in (0, 1): 53 bits, neither end included.
double unit_interval(std::uint32_t low, std::uint32_t high);

}  // namespace apsis
