// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace apsis {

/// Philox4x32-10 (Salmon et al. 2011, SC11, "Parallel random numbers: as easy as 1, 2, 3"): a
/// stateless generator of four random words from a counter and a key.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);

/// Philox4x32-10 with the counter (`block`, `stream`), lower half first, and the key `seed`.
std::array<std::uint32_t, 4> philox(std::uint64_t block, std::uint64_t stream, std::uint64_t seed);

/// Converts two random words to a number in the open interval (0, 1) with 53 bits.
double unit_interval(std::uint32_t low, std::uint32_t high);

}  // namespace apsis
