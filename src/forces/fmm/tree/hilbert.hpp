// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lanes/simd.hpp"

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace apsis::forces::fmm {

constexpr int hilbert_bits = 21;  ///< along each axis

/// Returns the SFC key of a cube: its position on Hilbert's curve through 2^21 x 2^21 x 2^21 cubes.
/// Consecutive cubes share a face. Algorithm of Skilling (2004, AIP Conf. Proc. 707, 381). `Bits`
/// is a 32-bit integer or a pack of them, one cube in each lane.
template <class Bits>
KOKKOS_INLINE_FUNCTION auto hilbert_key(Bits const& x, Bits const& y, Bits const& z) {
  Bits axes[3] = {x, y, z};
  constexpr int top = hilbert_bits - 1;
  // Branch-free, since the branches would be unpredictable.
  auto const mask_if = [](Bits const& bits, int bit) { return 0u - (bits >> bit & 1u); };
  for (int bit = top; bit > 0; --bit) {
    std::uint32_t const below = (1u << bit) - 1u;
    axes[0] ^= below & mask_if(axes[0], bit);
    for (int axis = 1; axis < 3; ++axis) {
      Bits const inverts = mask_if(axes[axis], bit);
      Bits const exchanged = (axes[0] ^ axes[axis]) & below & ~inverts;
      axes[0] ^= (below & inverts) | exchanged;
      axes[axis] ^= exchanged;
    }
  }
  axes[1] ^= axes[0];
  axes[2] ^= axes[1];
  Bits flips{};
  for (int bit = top; bit > 0; --bit) {
    flips ^= ((1u << bit) - 1u) & mask_if(axes[2], bit);
  }
  // Interleaves the bits of the three axes.
  auto const spread = [](Bits const& coordinate) {
    auto bits = simd::widened<std::uint64_t, std::uint32_t>(coordinate);
    bits = (bits | bits << 32) & 0x1f00000000ffffu;
    bits = (bits | bits << 16) & 0x1f0000ff0000ffu;
    bits = (bits | bits << 8) & 0x100f00f00f00f00fu;
    bits = (bits | bits << 4) & 0x10c30c30c30c30c3u;
    return (bits | bits << 2) & 0x1249249249249249u;
  };
  return spread(axes[0] ^ flips) << 2 | spread(axes[1] ^ flips) << 1 | spread(axes[2] ^ flips);
}

}  // namespace apsis::forces::fmm
