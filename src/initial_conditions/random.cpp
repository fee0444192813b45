// SPDX-License-Identifier: Apache-2.0
#include <apsis/initial_conditions/random.hpp>

#include <cmath>
#include <numbers>

namespace apsis::initial_conditions {

namespace {
constexpr std::uint32_t low(std::uint64_t x) {
  return static_cast<std::uint32_t>(x);
}
constexpr std::uint32_t high(std::uint64_t x) {
  return static_cast<std::uint32_t>(x >> 32);
}
}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    std::uint64_t const first = std::uint64_t{0xD2511F53u} * counter[0];
    std::uint64_t const second = std::uint64_t{0xCD9E8D57u} * counter[2];
    counter = {high(second) ^ counter[1] ^ key[0], low(second), high(first) ^ counter[3] ^ key[1],
               low(first)};
    key[0] += 0x9E3779B9u;  // the golden ratio
    key[1] += 0xBB67AE85u;  // sqrt(3) - 1
  }
  return counter;
}

double BodyRandom::uniform() {
  if (unused_ == 0) {
    words_ =
        philox({low(block_), high(block_), low(body_), high(body_)}, {low(seed_), high(seed_)});
    ++block_;
    unused_ = 4;
  }
  unused_ -= 2;
  auto const index = static_cast<std::size_t>(unused_);
  std::uint64_t const bits = (std::uint64_t{words_[index + 1]} << 32) | words_[index];
  return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
}

Vec3<double> BodyRandom::in_cube() {
  double const x = symmetric();
  double const y = symmetric();
  double const z = symmetric();
  return {x, y, z};
}

Vec3<double> BodyRandom::direction() {
  double const z = symmetric();
  double const angle = 2.0 * std::numbers::pi * uniform();
  double const radius = std::sqrt(1.0 - z * z);
  return {radius * std::cos(angle), radius * std::sin(angle), z};
}

}  // namespace apsis::initial_conditions
