// SPDX-License-Identifier: Apache-2.0
#include "core/digest.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace apsis;

TEST_CASE("digests agree with other implementations of XXH64") {
  CHECK(digest("") == 0xef46db3751d8e999);
  CHECK(digest("a") == 0xd24ec4f1a98c6e5b);
  CHECK(digest("abc") == 0x44bc2cf5ad770999);
  // 39 bytes: one stripe of 32, then pieces of 4 and 3.
  CHECK(digest("Nobody inspects the spammish repetition") == 0xfbcea83c8a378bf1);
  CHECK(digest("", 1) == 0xd5afba1336a3be4b);
}

TEST_CASE("the digest of a set depends on its members, not on their order") {
  SetDigest forwards, backwards, doubled, other;
  for (std::uint64_t i = 0; i < 100; ++i) forwards.add(i);
  for (std::uint64_t i = 100; i-- > 0;) backwards.add(i);
  for (std::uint64_t i = 0; i < 100; ++i) doubled.add(i == 7 ? 8 : i);
  for (std::uint64_t i = 1; i < 101; ++i) other.add(i);
  CHECK(forwards.value() == backwards.value());
  CHECK(forwards.value() != doubled.value());
  CHECK(forwards.value() != other.value());
  CHECK(SetDigest().value() == 0);
}
