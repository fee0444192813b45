// SPDX-License-Identifier: Apache-2.0
#include "initial_conditions/random.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace apsis;
using namespace apsis::initial_conditions;

TEST_CASE("Philox agrees with the known answers of its authors") {
  using Words = std::array<std::uint32_t, 4>;
  CHECK(
      (philox({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}));
  constexpr auto ones = 0xffffffffu;
  CHECK((philox({ones, ones, ones, ones}, {ones, ones}) ==
         Words{0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}));
  CHECK((philox({0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}, {0xa4093822u, 0x299f31d0u}) ==
         Words{0xd16cfe09u, 0x94fdcceb, 0x5001e420u, 0x24126ea1u}));
}

TEST_CASE("the random numbers of a body depend on the seed and the body only") {
  BodyRandom a(42, 7), again(42, 7), other_body(42, 8), other_seed(43, 7);
  double const first = a.uniform();
  CHECK(first == again.uniform());
  CHECK(first != other_body.uniform());
  CHECK(first != other_seed.uniform());
  CHECK(a.uniform() != first);
  // Every bit of seed and body matters.
  for (int bit = 0; bit < 64; ++bit) {
    CAPTURE(bit);
    CHECK(BodyRandom(42 ^ (std::uint64_t{1} << bit), 7).uniform() != first);
    CHECK(BodyRandom(42, 7 ^ (std::uint64_t{1} << bit)).uniform() != first);
  }
}

TEST_CASE("uniform numbers and directions have the correct moments") {
  constexpr int count = 100000;
  double sum = 0.0, squares = 0.0;
  Vec3<double> direction;
  double squared_z = 0.0;
  for (int i = 0; i < count; ++i) {
    BodyRandom random(1, static_cast<std::uint64_t>(i));
    double const u = random.uniform();
    CHECK_UNARY(u > 0.0 && u < 1.0);
    sum += u;
    squares += u * u;
    auto const n = random.direction();
    CHECK_UNARY(std::abs(dot(n, n) - 1.0) < 1e-14);
    direction += n;
    squared_z += n.z * n.z;
  }
  // Five standard deviations of the means.
  CHECK(std::abs(sum / count - 0.5) < 5 * 0.2887 / std::sqrt(count));
  CHECK(std::abs(squares / count - 1.0 / 3.0) < 5 * 0.2981 / std::sqrt(count));
  CHECK(norm(direction) / count < 5.0 / std::sqrt(count));
  CHECK(std::abs(squared_z / count - 1.0 / 3.0) < 5 * 0.2981 / std::sqrt(count));
}
