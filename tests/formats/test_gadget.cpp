// SPDX-License-Identifier: Apache-2.0
#include "formats/bodies_formats.hpp"
#include "formats/gadget.hpp"
#include "support/comes_true.hpp"
#include "support/contains.hpp"
#include "support/files/gadget_file.hpp"
#include "support/problems.hpp"
#include "support/scratch.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace apsis;
using testing::contains;
using testing::GadgetFile;
using testing::GadgetSample;
using testing::processor_seconds_of;
using testing::refusal;
using testing::Scratch;

namespace {

template <class Real, class Id>
void check_sample(formats::BodiesFile const& file) {
  auto const& bodies = file.bodies;
  REQUIRE(bodies.size() == 7);
  CHECK(file.time == 1.5);
  CHECK(file.has_ids);
  CHECK_FALSE(file.units.has_value());
  CHECK(bodies.species == std::vector<std::uint8_t>{0, 0, 1, 1, 2, 3, 5});
  auto const in_block = GadgetSample::masses<Real>();
  CHECK(bodies.mass ==
        std::vector<double>{in_block[0], in_block[1], 0.25, 0.25, in_block[2], 1e-5, in_block[3]});
  auto const positions = GadgetSample::vectors<Real>(-3.0);
  auto const velocities = GadgetSample::vectors<Real>(7.0);
  auto const ids = GadgetSample::ids<Id>();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    CHECK(bodies.id[i] == ids[i]);
    CHECK(bodies.position[i] ==
          Vec3<double>{positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]});
    CHECK(bodies.velocity[i] ==
          Vec3<double>{velocities[3 * i], velocities[3 * i + 1], velocities[3 * i + 2]});
  }
}

std::string image_refusal(std::string const& bytes) {
  auto const text = refusal([&] { formats::read_gadget_image(bytes, "g"); });
  CHECK(text.starts_with("g: "));
  CHECK(text.find('\n') == std::string::npos);
  return text;
}

/// The error of the sample with another header.
template <class Change>
std::string header_refusal(Change const& change) {
  auto header = GadgetSample::header();
  change(header);
  return image_refusal(GadgetSample::file<float, std::uint32_t>(false, 1, header).bytes);
}

}  // namespace

TEST_CASE("gadget: both formats, byte orders, and sizes of numbers and ids are read bit for bit") {
  for (int const format : {1, 2}) {
    for (bool const big : {false, true}) {
      CAPTURE(format);
      CAPTURE(big);
      check_sample<float, std::uint32_t>(formats::read_gadget_image(
          GadgetSample::file<float, std::uint32_t>(big, format).bytes, "g"));
      check_sample<double, std::uint64_t>(formats::read_gadget_image(
          GadgetSample::file<double, std::uint64_t>(big, format).bytes, "g"));
    }
  }
}

TEST_CASE("gadget: other blocks are skipped and listed, and gas is noted") {
  std::vector<float> const one{1.0F, 2.0F};
  for (int const format : {1, 2}) {
    auto file = GadgetSample::file<float, std::uint32_t>(false, format);
    file.block("U   ", one).block("RHO ", one);
    auto const read = formats::read_gadget_image(file.bytes, "g");
    check_sample<float, std::uint32_t>(read);
    CHECK(read.unused ==
          std::vector<std::string>{
              "gas: only gravity acts on it, Apsis computes no gas dynamics",
              format == 2 ? "blocks: U, RHO" : "blocks: one of 8 bytes, one of 8 bytes"});
  }
  // In format 2 blocks may come in any order.
  GadgetFile mixed(true, 2);
  mixed.header(GadgetSample::header())
      .block("MASS", GadgetSample::masses<float>())
      .block("U   ", one)
      .block("ID  ", GadgetSample::ids<std::uint32_t>())
      .block("VEL ", GadgetSample::vectors<float>(7.0))
      .block("POS ", GadgetSample::vectors<float>(-3.0));
  check_sample<float, std::uint32_t>(formats::read_gadget_image(mixed.bytes, "g"));
}

TEST_CASE("gadget: initial conditions without totals and files of one type are read") {
  GadgetFile::Header header;
  header.counts = {0, 2, 0, 0, 0, 0};
  header.masses[1] = 0.125;
  header.files = 0;
  GadgetFile file(false, 1);
  file.header(header)
      .block<float>("POS ", {1, 2, 3, 4, 5, 6})
      .block<float>("VEL ", {6, 5, 4, 3, 2, 1})
      .block<std::uint32_t>("ID  ", {9, 8});
  auto const read = formats::read_gadget_image(file.bytes, "g");
  CHECK(read.bodies.species.empty());
  CHECK(read.bodies.mass == std::vector<double>{0.125, 0.125});
  CHECK(read.bodies.id == std::vector<std::uint64_t>{9, 8});
  CHECK(read.unused.empty());
  GadgetFile empty(false, 1);
  CHECK(formats::read_gadget_image(empty.header({}).bytes, "g").bodies.size() == 0);
}

TEST_CASE("gadget: files are recognised by their content, whatever the extension") {
  Scratch const folder;
  for (auto const* name : {"galaxy.dat", "galaxy", "galaxy.bin", "galaxy.h5", "galaxy.xyz"}) {
    for (int const format : {1, 2}) {
      CAPTURE(name);
      GadgetSample::file<float, std::uint32_t>(true, format).save(folder / name);
      CHECK(formats::format_of(folder / name) == "gadget");
      check_sample<float, std::uint32_t>(formats::read_bodies(folder / name, "gadget"));
      // A file to be written has the format of its extension, even if it replaces this one.
      if (name == std::string("galaxy.h5")) {
        CHECK(formats::format_by_extension(folder / name) == "hdf5");
      }
    }
  }
  // Counts that would also pass as a tipsy header: ndim 3, and 2 bodies of one kind.
  GadgetFile::Header header;
  header.counts = {0, 2, 3, 2, 0, 0};
  GadgetFile(false, 1).header(header).save(folder / "tipsy.bin");
  CHECK(formats::format_of(folder / "tipsy.bin") == "gadget");
}

TEST_CASE("gadget: truncated and damaged records are refused by the name of their block") {
  for (int const format : {1, 2}) {
    auto const whole = GadgetSample::file<float, std::uint32_t>(false, format).bytes;
    for (std::size_t size = 0; size < whole.size(); ++size) {
      CAPTURE(size);
      image_refusal(whole.substr(0, size));
    }
  }
  auto const whole = GadgetSample::file<float, std::uint32_t>(false, 1).bytes;
  constexpr std::size_t position = 264, velocity = position + 92, id = velocity + 92;
  CHECK(contains(image_refusal(whole.substr(0, velocity + 50)),
                 "g: the record of block VEL is cut off (it has 84 bytes, and 42 are left"));
  CHECK(contains(image_refusal(whole.substr(0, id)), "g: has no block ID (it ends after 448"));
  auto damaged = whole;
  damaged[velocity - 4] = 83;
  CHECK(contains(image_refusal(damaged),
                 "g: the record of block POS has two lengths (84 before it and 83 after it)"));
  damaged = whole;
  damaged[260] = 1;
  CHECK(contains(image_refusal(damaged), "g: the record of the header has two lengths"));
  CHECK(contains(image_refusal(""), "no GADGET header (it has 0 bytes)"));
  CHECK(contains(image_refusal(std::string(400, 'x')), "the first word is not 256 or 8"));
  GadgetFile wrong(false, 2);
  wrong.header(GadgetSample::header()).block<float>("VEL ", {1, 2, 3});
  CHECK(
      contains(image_refusal(wrong.bytes),
               "g: the block VEL has another size (7 bodies need 84 or 168 bytes, and it has 12"));
  GadgetFile twice(false, 2);
  twice.header(GadgetSample::header());
  for (int i = 0; i < 2; ++i) twice.block("POS ", GadgetSample::vectors<float>(0));
  CHECK(contains(image_refusal(twice.bytes), "g: has two blocks POS"));
  auto many = GadgetSample::file<float, std::uint32_t>(false, 1);
  for (int i = 0; i < 300; ++i) many.record("", "");
  CHECK(contains(image_refusal(many.bytes), "more blocks than a snapshot has"));
}

TEST_CASE("gadget: headers that contradict the file are refused without delay") {
  auto const most = std::numeric_limits<std::int32_t>::max();
  std::string text;
  auto const seconds = processor_seconds_of([&] {
    text = header_refusal([&](auto& header) {
      header.counts.fill(most);
      header.totals.fill(static_cast<std::uint32_t>(most));
    });
  });
  CHECK(contains(text, "block POS"));
  CHECK(seconds < 0.1);
  CHECK(contains(header_refusal([](auto& header) { header.counts[4] = -1; }),
                 "the header counts bodies below zero (-1 of type 4)"));
  CHECK(contains(header_refusal([](auto& header) { header.totals[1] = 3; }),
                 "counts its bodies in two ways (npart is not npartTotal)"));
  CHECK(contains(header_refusal([](auto& header) { header.high_words[1] = 1; }),
                 "counts its bodies in two ways"));
  double const nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(contains(header_refusal([&](auto& header) { header.time = nan; }), "no finite Time"));
  CHECK(contains(header_refusal([&](auto& header) { header.masses[2] = nan; }),
                 "no finite mass of type 2"));
  auto negative = GadgetSample::header();
  negative.masses[1] = -1.0;
  CHECK(contains(refusal([&] {
                   formats::read_gadget_image(
                       GadgetSample::file<float, std::uint32_t>(false, 1, negative).bytes, "g");
                 }),
                 "g: bodies[2] (id 4294967295): negative mass"));
  CHECK(contains(header_refusal([](auto& header) { header.files = 2; }),
                 "is one of several files of a snapshot"));
}

TEST_CASE("gadget: comoving boxes and factors of h are refused by name") {
  auto const comoving = "; Apsis has no comoving coordinates); convert it to physical";
  auto const redshift = header_refusal([](auto& header) { header.redshift = 9.0; });
  CHECK(contains(redshift, "g: is a cosmological snapshot (Redshift is not 0"));
  CHECK(contains(redshift, comoving));
  auto const box = header_refusal([](auto& header) {
    header.time = 0.1;
    header.box_size = 50000.0;
    header.omega0 = 0.3;
  });
  CHECK(contains(box, "g: is a cosmological snapshot (a BoxSize, Omega0 and Time 0.1"));
  CHECK(contains(box, comoving));
  CHECK(contains(header_refusal([](auto& header) { header.hubble = 0.7; }),
                 "g: has a HubbleParam of 0.7 (its values contain factors of h"));
  // A box and a cosmology alone are noted.
  auto header = GadgetSample::header();
  header.box_size = 100.0;
  header.omega0 = 0.3;
  header.hubble = 1.0;
  auto const read = formats::read_gadget_image(
      GadgetSample::file<float, std::uint32_t>(false, 1, header).bytes, "g");
  CHECK(read.unused.size() == 3);
  CHECK(contains(read.unused[0], "BoxSize: Apsis has no periodic boundaries"));
}

TEST_CASE("gadget: bodies that cannot be used are reported") {
  auto header = GadgetSample::header();
  header.counts = {0, 2, 0, 0, 0, 0};
  header.totals = {0, 2, 0, 0, 0, 0};
  GadgetFile file(false, 2);
  float const inf = std::numeric_limits<float>::infinity();
  file.header(header)
      .block<float>("POS ", {1, 2, 3, 4, inf, 6})
      .block<float>("VEL ", {6, 5, 4, 3, 2, 1})
      .block<std::uint32_t>("ID  ", {9, 9});
  auto const text = refusal([&] { formats::read_gadget_image(file.bytes, "g"); });
  CHECK(contains(text, "g: bodies[1] (id 9): not finite (y is inf)"));
  CHECK(contains(text, "g: bodies[1] (id 9): duplicate id (bodies[0] has it too)"));
}

namespace {

formats::BodiesFile gadget_bodies() {
  formats::BodiesFile file{.bodies = HostBodies(4), .time = 0.5, .has_ids = true};
  file.bodies.mass = {1.0, 0.0, 0.25, 3.0};
  file.bodies.position = {{0.5, -0.0, 3.0}, {1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}, {7.0, 8.0, 9.0}};
  file.bodies.velocity = {{-1.0, 0.0, 0.25}, {1.0, 1.0, 1.0}, {0.0, 0.0, 0.0}, {2.0, 3.0, 4.0}};
  file.bodies.id = {7, 4294967295U, 0, 9};
  file.bodies.species = {0, 1, 1, 5};
  return file;
}

std::vector<std::string> check_round_trip(formats::BodiesFile const& file,
                                          formats::GadgetOptions const& options,
                                          std::size_t bytes) {
  std::vector<std::string> lost;
  auto const image = formats::write_gadget(file, options, "g", lost);
  CHECK(image.size() == bytes + (options.format == 2 ? 5 * 16 : 0));
  auto const again = formats::read_gadget_image(image, "g");
  CHECK(again.time == file.time);
  CHECK(again.bodies.mass == file.bodies.mass);
  CHECK(again.bodies.position == file.bodies.position);
  CHECK(std::signbit(again.bodies.position[0].y));
  CHECK(again.bodies.velocity == file.bodies.velocity);
  CHECK(again.bodies.id == file.bodies.id);
  CHECK(again.bodies.species == file.bodies.species);
  return lost;
}

}  // namespace

TEST_CASE("gadget: a written file reads back as the same bodies") {
  constexpr std::size_t markers = 5 * 8;
  for (int const format : {1, 2}) {
    for (bool const big : {false, true}) {
      CAPTURE(format);
      CAPTURE(big);
      formats::GadgetOptions const options{format, big, false};
      auto file = gadget_bodies();
      CHECK(check_round_trip(file, options, 256 + markers + 4 * 8 * 4).empty());
      file.bodies.id[2] = std::uint64_t{1} << 63;
      CHECK(check_round_trip(file, options, 256 + markers + 4 * (7 * 4 + 8)).empty());
      file.bodies.position[3].z = 0.1;
      CHECK(check_round_trip(file, options, 256 + markers + 4 * (7 * 8 + 8)).empty());
      file.bodies.velocity[3].z = 1e300;
      CHECK(check_round_trip(file, options, 256 + markers + 4 * (7 * 8 + 8)).empty());
    }
  }
  // Byte for byte as by the users' guide.
  auto const file = gadget_bodies();
  for (int const format : {1, 2}) {
    for (bool const big : {false, true}) {
      GadgetFile::Header header;
      header.counts = {1, 2, 0, 0, 0, 1};
      header.totals = {1, 2, 0, 0, 0, 1};
      header.time = 0.5;
      header.hubble = 1.0;
      GadgetFile expected(big, format);
      expected.header(header)
          .block<float>("POS ", {0.5F, -0.0F, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9})
          .block<float>("VEL ", {-1, 0, 0.25F, 1, 1, 1, 0, 0, 0, 2, 3, 4})
          .block<std::uint32_t>("ID  ", {7, 4294967295U, 0, 9})
          .block<float>("MASS", {1, 0, 0.25F, 3});
      std::vector<std::string> lost;
      CHECK(formats::write_gadget(file, {format, big, false}, "g", lost) == expected.bytes);
      CHECK(lost.empty());
    }
  }
}

TEST_CASE("gadget: data that a written file cannot hold are reported") {
  auto file = gadget_bodies();
  file.bodies.species = {1, 5, 0, 1};
  file.bodies.radius.assign(4, 0.5);
  file.bodies.name = {"a", "", "", ""};
  file.unit_system = "henon";
  file.bodies.position[0].x = 1.0 + 0x1p-25;
  std::vector<std::string> lost;
  auto const image = formats::write_gadget(file, {2, false, true}, "g", lost);
  CHECK(lost == std::vector<std::string>{
                    "positions are rounded to 32 bits, with a relative error of up to 3e-08",
                    "the order of the bodies: they are written species by species",
                    "radii are left out", "names are left out",
                    "units are left out (gadget cannot store them): henon"});
  auto const again = formats::read_gadget_image(image, "g");
  CHECK(again.bodies.id == std::vector<std::uint64_t>{0, 7, 9, 4294967295U});
  CHECK(again.bodies.species == std::vector<std::uint8_t>{0, 1, 1, 5});
  CHECK(again.bodies.position[1].x == 1.0);
  file.bodies.velocity[2].y = -1e39;
  CHECK(contains(refusal([&] {
                   formats::write_gadget(file, {2, false, true}, "g", lost);
                 }),
                 "g: bodies[2]: too large for gadget (-1e+39 overflows its 32 bits)"));
}
