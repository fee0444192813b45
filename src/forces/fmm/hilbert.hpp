// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/simd.hpp>

#include <Kokkos_Macros.hpp>

#include <cstdint>

namespace apsis::forces::fmm {

constexpr int hilbert_bits = 21;  ///< along each axis

/// The place of a cube on Hilbert's curve through 2^21 x 2^21 x 2^21 of them: cubes that follow
/// each other share a face. By Skilling (2004, AIP Conf. Proc. 707, 381). Of one cube, or of as
/// many as a pack of 32 bits each (`Bits`) has lanes.
template <class Bits>
KOKKOS_INLINE_FUNCTION auto hilbert_key(Bits const& x, Bits const& y, Bits const& z) {
  Bits at[3] = {x, y, z};
  constexpr int top = hilbert_bits - 1;
  // Without branches: nobody could foretell them.
  auto const all_if = [](Bits const& bits, int place) { return 0u - (bits >> place & 1u); };
  for (int place = top; place > 0; --place) {
    std::uint32_t const below = (1u << place) - 1u;
    at[0] ^= below & all_if(at[0], place);
    for (int axis = 1; axis < 3; ++axis) {
      Bits const inverts = all_if(at[axis], place);
      Bits const exchanged = (at[0] ^ at[axis]) & below & ~inverts;
      at[0] ^= (below & inverts) | exchanged;
      at[axis] ^= exchanged;
    }
  }
  at[1] ^= at[0];
  at[2] ^= at[1];
  Bits flips{};
  for (int place = top; place > 0; --place) {
    flips ^= ((1u << place) - 1u) & all_if(at[2], place);
  }
  // A bit of each in turn.
  auto const spread = [](Bits const& of) {
    auto bits = simd::widened<std::uint64_t, std::uint32_t>(of);
    bits = (bits | bits << 32) & 0x1f00000000ffffu;
    bits = (bits | bits << 16) & 0x1f0000ff0000ffu;
    bits = (bits | bits << 8) & 0x100f00f00f00f00fu;
    bits = (bits | bits << 4) & 0x10c30c30c30c30c3u;
    return (bits | bits << 2) & 0x1249249249249249u;
  };
  return spread(at[0] ^ flips) << 2 | spread(at[1] ^ flips) << 1 | spread(at[2] ^ flips);
}

}  // namespace apsis::forces::fmm
