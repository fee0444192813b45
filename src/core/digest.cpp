// SPDX-License-Identifier: Apache-2.0
#include "digest.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace apsis {

namespace {

// The primes of the specification, section "XXH64 algorithm description".
constexpr std::uint64_t prime1 = 0x9e3779b185ebca87;
constexpr std::uint64_t prime2 = 0xc2b2ae3d27d4eb4f;
constexpr std::uint64_t prime3 = 0x165667b19e3779f9;
constexpr std::uint64_t prime4 = 0x85ebca77c2b2ae63;
constexpr std::uint64_t prime5 = 0x27d4eb2f165667c5;

template <class Word>
Word read(std::byte const* bytes) {
  static_assert(std::endian::native == std::endian::little, "words are read in native byte order");
  Word word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

constexpr std::uint64_t round(std::uint64_t lane, std::uint64_t input) {
  return std::rotl(lane + input * prime2, 31) * prime1;
}

}  // namespace

std::uint64_t digest(std::span<std::byte const> bytes, std::uint64_t seed) {
  auto const* next = bytes.data();
  std::size_t left = bytes.size();
  std::uint64_t sum = seed + prime5;
  if (left >= 32) {
    std::array<std::uint64_t, 4> lanes{seed + prime1 + prime2, seed + prime2, seed, seed - prime1};
    for (; left >= 32; left -= 32) {
      for (auto& lane : lanes) {
        lane = round(lane, read<std::uint64_t>(next));
        next += 8;
      }
    }
    sum = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) +
          std::rotl(lanes[3], 18);
    for (auto const lane : lanes) sum = (sum ^ round(0, lane)) * prime1 + prime4;
  }
  sum += bytes.size();
  for (; left >= 8; left -= 8, next += 8) {
    sum = std::rotl(sum ^ round(0, read<std::uint64_t>(next)), 27) * prime1 + prime4;
  }
  if (left >= 4) {
    sum = std::rotl(sum ^ (read<std::uint32_t>(next) * prime1), 23) * prime2 + prime3;
    left -= 4;
    next += 4;
  }
  for (; left > 0; --left, ++next) {
    sum = std::rotl(sum ^ (std::to_integer<std::uint64_t>(*next) * prime5), 11) * prime1;
  }
  sum = (sum ^ (sum >> 33)) * prime2;
  sum = (sum ^ (sum >> 29)) * prime3;
  return sum ^ (sum >> 32);
}

std::uint64_t digest(std::string_view text, std::uint64_t seed) {
  return digest(std::as_bytes(std::span(text.data(), text.size())), seed);
}

}  // namespace apsis
