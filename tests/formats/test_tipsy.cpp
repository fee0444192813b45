// SPDX-License-Identifier: Apache-2.0
#include "formats/tipsy.hpp"
#include "support/comes_true.hpp"
#include "support/contains.hpp"
#include "support/problems.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

using namespace apsis;
using testing::contains;
using testing::processor_seconds_of;
using testing::refusal;

namespace {

using Names = std::vector<std::string>;

/// Builds a file from numbers, in the byte order of this machine or the other one.
class Builder {
 public:
  explicit Builder(bool swapped = false) : swapped_(swapped) {}

  template <class Number>
  Builder& add(Number number) {
    std::string raw(sizeof number, '\0');
    std::memcpy(raw.data(), &number, sizeof number);
    if (swapped_) std::reverse(raw.begin(), raw.end());
    bytes += raw;
    return *this;
  }
  Builder& header(double time, std::initializer_list<std::int32_t> counts) {
    add(time);
    for (auto const count : counts) add(count);
    return *this;
  }
  Builder& singles(std::initializer_list<float> values) {
    for (float const value : values) add(value);
    return *this;
  }

  std::string bytes;

 private:
  bool swapped_;
};

bool const swapped_is_big = std::endian::native == std::endian::little;

/// One body of each species; all numbers differ.
std::string one_of_each(bool swapped, bool pad) {
  Builder builder(swapped);
  builder.header(2.5, {3, 3, 1, 1, 1});
  if (pad) builder.add(std::int32_t{32758});
  builder.singles({1, 2, 3, 4, 5, 6, 7, 0.5F, 1e4F, 0.25F, 0.02F, -8});
  builder.singles({11, 12, 13, 14, 15, 16, 17, 0.125F, -18});
  builder.singles({21, 22, 23, 24, 25, 26, 27, 0.01F, 1.5F, 0.75F, -28});
  return builder.bytes;
}

/// A file like the galaxies of the CUDA sample: little-endian, with arbitrary bytes in the pad,
/// dark and star bodies with different softening lengths, and ids in place of the potentials.
std::string galaxy(std::vector<std::int32_t> const& last_fields) {
  Builder builder(!swapped_is_big);
  auto const dark = static_cast<std::int32_t>(last_fields.size() / 2);
  auto const count = static_cast<std::int32_t>(last_fields.size());
  builder.header(0.0, {count, 3, 0, dark, count - dark}).add(std::int32_t{32758});
  for (std::int32_t i = 0; i < count; ++i) {
    auto const x = static_cast<float>(i);
    builder.singles({0.25F, x, 0, 0, 0, 1, 0});
    if (i < dark) {
      builder.singles({0.44F});
    } else {
      builder.singles({0, 0, i == dark ? 0.17F : 0.13F});
    }
    builder.add(last_fields[static_cast<std::size_t>(i)]);
  }
  return builder.bytes;
}

formats::BodiesFile sample() {
  formats::BodiesFile file{.bodies = HostBodies(3), .time = 0.1, .has_ids = true};
  file.bodies.mass = {1.0, 0.0, 1e-30};
  file.bodies.position = {{0.5, -1.25, 3.0}, {-0.0, 1e30, 7.0}, {1.0, 2.0, 3.0}};
  file.bodies.velocity = {{-1.0, 0.0, 0.25}, {1.0, 1.0, 1.0}, {0.0, 0.0, 0.0}};
  file.bodies.mass[2] = 0.125;
  file.bodies.position[1].y = 1024.0;
  file.bodies.id = {7, 2147483647, 0};
  return file;
}

}  // namespace

TEST_CASE("tipsy: gas, dark and star bodies are read in both byte orders, with and without pad") {
  for (bool const swapped : {false, true}) {
    for (bool const pad : {false, true}) {
      CAPTURE(swapped);
      CAPTURE(pad);
      auto const file = formats::read_tipsy({one_of_each(swapped, pad), "f"});
      CHECK(file.time == 2.5);
      CHECK_FALSE(file.has_ids);
      CHECK(file.bodies.mass == std::vector<double>{1, 11, 21});
      CHECK(file.bodies.position ==
            std::vector<Vec3<double>>{{2, 3, 4}, {12, 13, 14}, {22, 23, 24}});
      CHECK(file.bodies.velocity ==
            std::vector<Vec3<double>>{{5, 6, 7}, {15, 16, 17}, {25, 26, 27}});
      CHECK(file.bodies.id == std::vector<std::uint64_t>{0, 1, 2});
      CHECK(file.bodies.species == std::vector<std::uint8_t>{0, 1, 4});
    }
  }
}

TEST_CASE("tipsy: unused values are described if they are present") {
  auto const unused = formats::read_tipsy({one_of_each(false, true), "f"}).unused;
  CHECK(unused ==
        Names{"gas: only gravity acts on it, Apsis computes no gas dynamics",
              "density of the 1 gas bodies: 0.5", "temperature of the 1 gas bodies: 10000",
              "smoothing length of the 1 gas bodies: 0.25", "metals of the 1 gas bodies: 0.02",
              "potential of the 1 gas bodies: -8", "softening of the 1 dark bodies: 0.125",
              "potential of the 1 dark bodies: -18", "metals of the 1 star bodies: 0.01",
              "formation time of the 1 star bodies: 1.5", "softening of the 1 star bodies: 0.75",
              "potential of the 1 star bodies: -28"});
  Builder plain;
  plain.header(0.0, {1, 3, 0, 1, 0}).singles({1, 2, 3, 4, 5, 6, 7, 0, 0});
  CHECK(formats::read_tipsy({plain.bytes, "f"}).unused.empty());
  // Many values are summarised by their range.
  Builder many;
  many.header(0.0, {6, 2, 0, 6, 0});
  for (float const eps : {3.0F, 0.5F, 2.0F, 5.0F, 4.0F, 1.0F}) {
    many.singles({1, 2, 3, 4, 5, 6, 7, eps, 0});
  }
  CHECK(formats::read_tipsy({many.bytes, "f"}).unused ==
        Names{"ndim is 2, but all three components of a record are used",
              "softening of the 6 dark bodies: from 0.5 to 5"});
}

TEST_CASE("tipsy: integers in place of potentials are ids if they are valid ids") {
  auto const file = formats::read_tipsy({galaxy({200000000, 200000001, 100000000, 5}), "f"});
  CHECK(file.has_ids);
  CHECK(file.bodies.id == std::vector<std::uint64_t>{200000000, 200000001, 100000000, 5});
  CHECK(file.unused == Names{"softening of the 2 dark bodies: 0.44",
                             "softening of the 2 star bodies: 0.17 (1 bodies), 0.13 (1 bodies)"});

  auto const bits = [](float value) { return std::bit_cast<std::int32_t>(value); };
  auto const none =
      formats::read_tipsy({galaxy({bits(-1.5F), bits(-2.0F), bits(-0.5F), bits(-1.0F)}), "f"});
  CHECK_FALSE(none.has_ids);
  CHECK(none.bodies.id == std::vector<std::uint64_t>{0, 1, 2, 3});
  CHECK(contains(none.unused.back(), "potential of the 2 star bodies: -0.5 (1 bodies), -1"));
  CHECK_FALSE(formats::read_tipsy({galaxy({1, 2, 2, 3}), "f"}).has_ids);
  CHECK_FALSE(formats::read_tipsy({galaxy({0, 0}), "f"}).has_ids);
  CHECK_FALSE(formats::read_tipsy({galaxy({1, 2}), "f"}, formats::TipsyIds::none).has_ids);

  auto const twice = refusal([] {
    formats::read_tipsy({galaxy({1, 2, 2, 3}), "f"}, formats::TipsyIds::integers);
  });
  CHECK(contains(twice, "f: bodies[2] (id 2): duplicate id (bodies[1] has it too)"));
  auto const negative = refusal([] {
    formats::read_tipsy({galaxy({1, 2, -2, 3}), "f"}, formats::TipsyIds::integers);
  });
  CHECK(contains(negative, "f: bodies[2]: a negative id"));
}

TEST_CASE("tipsy: counts that disagree with the size are rejected without delay") {
  auto const reading = [](std::string const& bytes) {
    return refusal([&] { formats::read_tipsy({bytes, "f"}); });
  };
  CHECK(contains(reading(""), "f: no tipsy header (it has 0 bytes, a header takes 28)"));
  CHECK(contains(reading(std::string(100, 'x')), "ndim is not 1, 2 or 3 in either byte order"));
  for (std::int32_t const ndim : {-1, 0, 4}) {
    CHECK(contains(reading(Builder().header(0.0, {0, ndim, 0, 0, 0}).bytes), "ndim is not"));
  }
  auto const whole = one_of_each(false, true);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    if (size + 4 == whole.size()) continue;  // as long as a file without the pad
    CAPTURE(size);
    CHECK_FALSE(reading(whole.substr(0, size)).empty());
  }
  CHECK(contains(reading(whole + "x"),
                 "1 gas, 1 dark and 1 star bodies take 156 or, with a pad, 160 bytes, "
                 "and it has 161; with 64-bit positions a body takes 12 bytes more"));
  std::int32_t const most = std::numeric_limits<std::int32_t>::max();
  for (bool const swapped : {false, true}) {
    std::string refused;
    auto const seconds = processor_seconds_of([&] {
      refused = reading(Builder(swapped).header(0.0, {most, 3, 0, most, 0}).bytes);
    });
    CHECK(contains(refused, "take 77309411320 or, with a pad, 77309411324 bytes, and it has 28"));
    CHECK(seconds < 0.1);  // a loop over the bodies would take several times as long
    // In 32 bits this sum would be 1.
    CHECK(
        contains(reading(Builder(swapped).header(0.0, {1, 3, most, most, 3}).bytes),
                 "nbodies is 1, but there are 2147483647 gas, 2147483647 dark and 3 star bodies"));
    CHECK(contains(reading(Builder(swapped).header(0.0, {0, 3, 1, -1, 0}).bytes),
                   "a negative count (the header says 1 gas, -1 dark"));
  }
  CHECK(formats::read_tipsy({Builder().header(1.0, {0, 3, 0, 0, 0}).bytes, "f"}).bodies.size() ==
        0);
}

TEST_CASE("tipsy: invalid bodies are reported, several at once") {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  float const inf = std::numeric_limits<float>::infinity();
  Builder builder;
  builder.header(0.0, {5, 3, 0, 5, 0});
  builder.singles({1, 0, 0, 0, 0, 0, 0, 0, -1}).singles({-1, 0, 0, 0, 0, 0, 0, 0, -1});
  builder.singles({1, 0, nan, 0, 0, 0, inf, 0, -1}).singles({1, 0, 0, 0, 0, 0, 0, nan, -1});
  builder.singles({nan, 0, 0, 0, -inf, 0, 0, 0, -1});
  auto const message = refusal([&] { formats::read_tipsy({builder.bytes, "f"}); });
  CHECK(message ==
        "f: bodies[1]: negative mass (it is -1); remove or correct the body\n"
        "f: bodies[2]: not finite (y is nan, vz is inf); remove or correct the body\n"
        "f: bodies[4]: not finite (mass is nan, vx is -inf); remove or correct the body");
  CHECK(contains(refusal([&] {
                   formats::read_tipsy({Builder().header(nan, {0, 3, 0, 0, 0}).bytes, "f"});
                 }),
                 "f: time is not finite"));
  Builder invalid;
  invalid.header(0.0, {99, 3, 0, 99, 0});
  for (int i = 0; i < 99; ++i) invalid.singles({-1, 0, 0, 0, 0, 0, 0, 0, 0});
  auto const lines = refusal([&] { formats::read_tipsy({invalid.bytes, "f"}); });
  CHECK(std::count(lines.begin(), lines.end(), '\n') == 9);
}

TEST_CASE("tipsy: a written file reads back as the same bodies") {
  auto const file = sample();
  for (bool const little : {false, true}) {
    for (bool const pad : {false, true}) {
      Names lost;
      formats::TipsyOptions const options{little, pad, true, 0.5};
      auto const bytes = formats::write_tipsy(file, options, "t", lost);
      CHECK(lost == Names{});
      CHECK(bytes.size() == formats::tipsy_bytes(3, options, "t"));
      CHECK(bytes.size() == (pad ? 140 : 136));
      CHECK(bytes[little ? 12 : 15] == '\3');
      auto const again = formats::read_tipsy({bytes, "t"});
      CHECK(again.time == file.time);
      CHECK(again.bodies.mass == file.bodies.mass);
      CHECK(again.bodies.position == file.bodies.position);
      CHECK(std::signbit(again.bodies.position[1].x));
      CHECK(again.bodies.velocity == file.bodies.velocity);
      CHECK(again.bodies.id == file.bodies.id);
      CHECK(again.unused == Names{"softening of the 3 dark bodies: 0.5"});
    }
  }
  // Standard tipsy, byte for byte.
  formats::BodiesFile one{.bodies = HostBodies(1), .time = 2.0, .has_ids = false};
  one.bodies.mass = {1.0};
  one.bodies.velocity[0].z = -2.0;
  Builder expected(swapped_is_big);
  expected.header(2.0, {1, 3, 0, 1, 0}).add(std::int32_t{0}).singles({1, 0, 0, 0, 0, 0, -2, 0, 0});
  Names lost;
  CHECK(formats::write_tipsy(one, {}, "t", lost) == expected.bytes);
}

TEST_CASE("tipsy: rounding to 32 bits is reported, and overflow is rejected") {
  auto file = sample();
  file.bodies.position[0].x = 1.0 + 0x1p-25;  // rounds to 1
  file.bodies.mass[0] = 1e-60;                // rounds to 0, a relative error of 1
  Names lost;
  formats::write_tipsy(file, {}, "t", lost);
  CHECK(lost == Names{"masses are rounded to 32 bits, with a relative error of up to 1",
                      "positions are rounded to 32 bits, with a relative error of up to 3e-08",
                      "ids are left out"});
  auto const writing = [](formats::BodiesFile const& bodies, formats::TipsyOptions const& options) {
    return refusal([&] {
      Names ignored;
      formats::write_tipsy(bodies, options, "t", ignored);
    });
  };
  file.bodies.velocity[2].y = -1e39;
  CHECK(contains(writing(file, {}), "t: bodies[2]: too large for tipsy (-1e+39 overflows"));
  CHECK(contains(writing(sample(), {false, true, false, 1e39}), "t: softening: too large"));
  file = sample();
  file.bodies.id[1] = 2147483648;
  CHECK(contains(writing(file, {false, true, true, 0.0}),
                 "t: bodies[1]: an id too large for tipsy (2147483648 is above 2147483647)"));
  CHECK(contains(refusal([] { formats::tipsy_bytes(2147483648, {}, "t"); }),
                 "t: too many bodies for tipsy"));
  CHECK(formats::tipsy_bytes(2147483647, {}, "t") == 32 + 36 * std::size_t{2147483647});
}

TEST_CASE("tipsy: units of a file are reported as lost") {
  auto file = sample();
  file.unit_system = "henon";
  std::vector<std::string> lost;
  formats::write_tipsy(file, {}, "t", lost);
  CHECK(lost.back() == "units are left out (tipsy cannot store them): henon");
  file.unit_system.clear();
  file.units = Units::Si{1.0, 2.0, 3.0};
  formats::write_tipsy(file, {}, "t", lost);
  CHECK(lost.back() ==
        "units are left out (tipsy cannot store them): length 1 m, mass 2 kg, time 3 s");
}

namespace {

/// The bodies of one_of_each() with 64-bit positions, or positions and velocities.
std::string double_file(bool swapped, bool pad, bool velocities) {
  Builder builder(swapped);
  builder.header(2.5, {3, 3, 1, 1, 1});
  if (pad) builder.add(std::int32_t{0});
  std::vector<std::vector<float>> const fields{{0, 0, 0, 0, -8}, {0, -18}, {0, 0, 0, -28}};
  for (int body = 0; body < 3; ++body) {
    builder.add(static_cast<float>(10 * body + 1));
    for (int k = 2; k <= 4; ++k) builder.add(10 * body + k + 0.1);
    for (int k = 5; k <= 7; ++k) {
      if (velocities) {
        builder.add(10 * body + k + 0.2);
      } else {
        builder.add(static_cast<float>(10 * body + k));
      }
    }
    for (float const field : fields[static_cast<std::size_t>(body)]) builder.add(field);
  }
  return builder.bytes;
}

}  // namespace

TEST_CASE("tipsy: files with 64-bit positions and velocities are recognised by their size") {
  for (bool const swapped : {false, true}) {
    for (bool const pad : {false, true}) {
      for (bool const velocities : {false, true}) {
        CAPTURE(swapped);
        CAPTURE(pad);
        CAPTURE(velocities);
        auto const bytes = double_file(swapped, pad, velocities);
        auto const file = formats::read_tipsy({bytes, "f"});
        CHECK(file.bodies.mass == std::vector<double>{1, 11, 21});
        CHECK(file.bodies.species == std::vector<std::uint8_t>{0, 1, 4});
        for (int i = 0; i < 3; ++i) {
          auto const row = static_cast<std::size_t>(i);
          int const base = 10 * i;
          double const more = velocities ? 0.2 : 0.0;
          CHECK(file.bodies.position[row] ==
                Vec3<double>{base + 2 + 0.1, base + 3 + 0.1, base + 4 + 0.1});
          CHECK(file.bodies.velocity[row] ==
                Vec3<double>{base + 5 + more, base + 6 + more, base + 7 + more});
        }
        CHECK(file.unused == Names{"gas: only gravity acts on it, Apsis computes no gas dynamics",
                                   "potential of the 1 gas bodies: -8",
                                   "potential of the 1 dark bodies: -18",
                                   "potential of the 1 star bodies: -28"});
        Names lost;
        bool const little = swapped != swapped_is_big;
        auto const again = formats::read_tipsy(
            {formats::write_tipsy(file, {little, pad, false, 0.0, true, velocities}, "t", lost),
             "t"});
        CHECK(lost == Names{});
        CHECK(again.bodies.position == file.bodies.position);
        CHECK(again.bodies.velocity == file.bodies.velocity);
        CHECK(again.bodies.species == file.bodies.species);
      }
    }
  }
  CHECK(
      contains(refusal([] {
                 Names lost;
                 formats::write_tipsy(sample(), {false, true, false, 0.0, false, true}, "t", lost);
               }),
               "t: 64-bit velocities without 64-bit positions"));
}

TEST_CASE("tipsy: gas, dark and star bodies come back as they went in, byte for byte") {
  for (bool const swapped : {false, true}) {
    // All values that a body does not have are zero.
    Builder builder(swapped);
    builder.header(2.5, {4, 3, 1, 2, 1}).add(std::int32_t{0});
    builder.singles({1, 2, 3, 4, 5, 6, 7, 0, 0, 0.5F, 0}).add(std::int32_t{7});
    builder.singles({11, 12, 13, 14, 15, 16, 17, 0.5F}).add(std::int32_t{3});
    builder.singles({11, 12, 13, 14, 15, 16, 17, 0.5F}).add(std::int32_t{0});
    builder.singles({21, 22, 23, 24, 25, 26, 27, 0, 0, 0.5F}).add(std::int32_t{9});
    auto const file = formats::read_tipsy({builder.bytes, "f"});
    CHECK(file.has_ids);
    Names lost;
    CHECK(formats::write_tipsy(file, {swapped != swapped_is_big, true, true, 0.5}, "t", lost) ==
          builder.bytes);
    CHECK(lost == Names{});
  }
  auto mixed = sample();
  mixed.bodies.species = {species_types::stars, species_types::disk, species_types::gas};
  Names lost;
  auto const again =
      formats::read_tipsy({formats::write_tipsy(mixed, {true, true, true, 0.0}, "t", lost), "t"});
  CHECK(lost == Names{"the species disk: written as dark",
                      "the order of the bodies: they are written species by species"});
  CHECK(again.bodies.id == std::vector<std::uint64_t>{0, 2147483647, 7});
  CHECK(again.bodies.species == std::vector<std::uint8_t>{0, 1, 4});
  CHECK(again.bodies.mass == std::vector<double>{0.125, 0.0, 1.0});
}
