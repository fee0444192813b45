// SPDX-License-Identifier: Apache-2.0
#include "core/philox.hpp"

namespace apsis {

namespace {
constexpr std::uint32_t low_word(std::uint64_t x) {
  return static_cast<std::uint32_t>(x);
}
constexpr std::uint32_t high_word(std::uint64_t x) {
  return static_cast<std::uint32_t>(x >> 32);
}
}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    std::uint64_t const first = std::uint64_t{0xD2511F53u} * counter[0];
    std::uint64_t const second = std::uint64_t{0xCD9E8D57u} * counter[2];
    counter = {high_word(second) ^ counter[1] ^ key[0], low_word(second),
               high_word(first) ^ counter[3] ^ key[1], low_word(first)};
    key[0] += 0x9E3779B9u;  // the golden ratio
    key[1] += 0xBB67AE85u;  // sqrt(3) - 1
  }
  return counter;
}

std::array<std::uint32_t, 4> philox(std::uint64_t block, std::uint64_t stream, std::uint64_t seed) {
  return philox({low_word(block), high_word(block), low_word(stream), high_word(stream)},
                {low_word(seed), high_word(seed)});
}

double unit_interval(std::uint32_t low, std::uint32_t high) {
  std::uint64_t const bits = (std::uint64_t{high} << 32) | low;
  return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
}

}  // namespace apsis
