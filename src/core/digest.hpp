// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace apsis {

/// XXH64 digest (Collet 2012-2016, the xxHash fast digest algorithm, specification 0.1.1). Detects
/// accidental damage; not cryptographic. About 10 GB/s. The result is the same on every machine.
std::uint64_t digest(std::span<std::byte const> bytes, std::uint64_t seed = 0);
std::uint64_t digest(std::string_view text, std::uint64_t seed = 0);

/// Order-independent digest of a set of numbers: the sum of their hashes modulo 2^64. A lost,
/// duplicated or changed number changes the digest.
class SetDigest {
 public:
  void add(std::uint64_t member) {
    // The finaliser of splitmix64 (Steele, Lea & Flood 2014) decorrelates ids with common bits.
    member += 0x9e3779b97f4a7c15;
    member = (member ^ (member >> 30)) * 0xbf58476d1ce4e5b9;
    member = (member ^ (member >> 27)) * 0x94d049bb133111eb;
    sum_ += member ^ (member >> 31);
  }
  std::uint64_t value() const { return sum_; }

 private:
  std::uint64_t sum_ = 0;
};

}  // namespace apsis
