// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace apsis::forces::fmm {

constexpr int hilbert_bits = 21;  ///< along each axis

/// The place of a cube on Hilbert's curve through 2^21 x 2^21 x 2^21 of them: cubes that follow
/// each other share a face. By Skilling (2004, AIP Conf. Proc. 707, 381).
KOKKOS_INLINE_FUNCTION std::uint64_t hilbert_key(std::uint32_t x, std::uint32_t y,
                                                 std::uint32_t z) {
  std::uint32_t at[3] = {x, y, z};
  constexpr std::uint32_t top = 1u << (hilbert_bits - 1);
  // Without branches: nobody could foretell them.
  auto const all_if = [](std::uint32_t bits) { return bits != 0 ? ~0u : 0u; };
  for (std::uint32_t bit = top; bit > 1; bit >>= 1) {
    std::uint32_t const below = bit - 1;
    at[0] ^= below & all_if(at[0] & bit);
    for (int axis = 1; axis < 3; ++axis) {
      std::uint32_t const inverts = all_if(at[axis] & bit);
      std::uint32_t const exchanged = (at[0] ^ at[axis]) & below & ~inverts;
      at[0] ^= (below & inverts) | exchanged;
      at[axis] ^= exchanged;
    }
  }
  at[1] ^= at[0];
  at[2] ^= at[1];
  std::uint32_t flips = 0;
  for (std::uint32_t bit = top; bit > 1; bit >>= 1) flips ^= (bit - 1) & all_if(at[2] & bit);
  // A bit of each in turn.
  auto const spread = [](std::uint64_t bits) {
    bits = (bits | bits << 32) & 0x1f00000000ffffu;
    bits = (bits | bits << 16) & 0x1f0000ff0000ffu;
    bits = (bits | bits << 8) & 0x100f00f00f00f00fu;
    bits = (bits | bits << 4) & 0x10c30c30c30c30c3u;
    return (bits | bits << 2) & 0x1249249249249249u;
  };
  return spread(at[0] ^ flips) << 2 | spread(at[1] ^ flips) << 1 | spread(at[2] ^ flips);
}

}  // namespace apsis::forces::fmm
