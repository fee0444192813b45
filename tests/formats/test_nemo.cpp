// SPDX-License-Identifier: Apache-2.0
#include "files/file.hpp"
#include "formats/bodies_formats.hpp"
#include "formats/nemo/nemo_items.hpp"
#include "support/contains.hpp"
#include "support/problems.hpp"
#include "support/scratch.hpp"

#include <doctest/doctest.h>

#include <bit>

using namespace apsis;
using testing::contains;
using testing::refusal;
using testing::Scratch;

namespace {

/// Writes items by the layout of NEMO's filestruct.
class NemoWriter {
 public:
  NemoWriter(bool little, bool single) : little_(little), single_(single) {}

  std::string const& bytes() const { return bytes_; }
  char real() const { return single_ ? 'f' : 'd'; }

  void set(std::string const& tag) { head(0x0992, "(", tag); }
  void tes() {
    word(0x0992, 2);
    text(")");
  }
  void integer(std::string const& tag, int value) {
    head(0x0992, "i", tag);
    word(static_cast<std::uint32_t>(value), 4);
  }
  void number(std::string const& tag, double value) {
    head(0x0992, std::string(1, real()), tag);
    add(value);
  }
  void history(std::string const& words) {
    head(0x0b92, "c", "History");
    word(words.size() + 1, 4);
    word(0, 4);
    text(words);
  }
  void numbers(std::string const& tag, std::vector<unsigned> const& dimensions,
               std::vector<double> const& values) {
    head(0x0b92, std::string(1, real()), tag);
    for (auto const length : dimensions) word(length, 4);
    word(0, 4);
    for (double const value : values) add(value);
  }
  void keys(std::vector<int> const& values) {
    head(0x0b92, "i", "Key");
    word(values.size(), 4);
    word(0, 4);
    for (int const value : values) word(static_cast<std::uint32_t>(value), 4);
  }

 private:
  void word(std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) {
      bytes_ += static_cast<char>(value >> 8 * (little_ ? i : size - 1 - i) & 255U);
    }
  }
  void text(std::string const& words) { bytes_ += words + '\0'; }
  void head(unsigned magic, std::string const& type, std::string const& tag) {
    word(magic, 2);
    text(type);
    text(tag);
  }
  void add(double value) {
    single_ ? word(std::bit_cast<std::uint32_t>(static_cast<float>(value)), 4)
            : word(std::bit_cast<std::uint64_t>(value), 8);
  }

  bool little_, single_;
  std::string bytes_;
};

struct Snapshot {
  double time = 0.0;
  bool has_mass = true;
  bool in_one = true;  ///< PhaseSpace, or Position and Velocity
  std::vector<int> keys{};
};

void write_snapshot(NemoWriter& out, Snapshot const& snapshot) {
  out.set("SnapShot");
  out.set("Parameters");
  out.integer("Nobj", 2);
  out.number("Time", snapshot.time);
  out.tes();
  out.set("Particles");
  out.integer("CoordSystem", 0x010302);
  if (snapshot.has_mass) out.numbers("Mass", {2}, {0.5, 0.25});
  if (snapshot.in_one) {
    out.numbers("PhaseSpace", {2, 2, 3},
                {1, 2, 3, 4, 5, 6 + snapshot.time, -1, -2, -3, -4, -5, -6});
  } else {
    out.numbers("Position", {2, 3}, {1, 2, 3, -1, -2, -3});
    out.numbers("Velocity", {2, 3}, {4, 5, 6 + snapshot.time, -4, -5, -6});
  }
  if (!snapshot.keys.empty()) out.keys(snapshot.keys);
  out.tes();
  out.set("Diagnostics");
  out.numbers("Energy", {3}, {-0.25, 0.25, -0.5});
  out.tes();
  out.tes();
}

std::string nemo_file(std::vector<Snapshot> const& snapshots, bool little = true,
                      bool single = false) {
  NemoWriter out(little, single);
  out.history("mkplummer out=p nbody=2");
  for (auto const& snapshot : snapshots) write_snapshot(out, snapshot);
  return out.bytes();
}

void check_bodies(formats::BodiesFile const& file, double time) {
  CHECK(file.time == time);
  CHECK(file.bodies.mass == std::vector<double>{0.5, 0.25});
  CHECK(file.bodies.position == std::vector<Vec3<double>>{{1, 2, 3}, {-1, -2, -3}});
  CHECK(file.bodies.velocity == std::vector<Vec3<double>>{{4, 5, 6 + time}, {-4, -5, -6}});
}

std::string refused_nemo(std::string const& bytes) {
  return refusal([&] { formats::read_nemo({bytes, "f"}); });
}

}  // namespace

TEST_CASE("nemo: snapshots in both byte orders and precisions") {
  for (bool const little : {true, false}) {
    for (bool const single : {true, false}) {
      for (bool const in_one : {true, false}) {
        CAPTURE(little);
        CAPTURE(single);
        auto const file =
            formats::read_nemo({nemo_file({{0.125, true, in_one, {}}}, little, single), "f"});
        check_bodies(file, 0.125);
        CHECK_FALSE(file.has_ids);
        CHECK(file.unused.empty());
        CHECK(file.notes ==
              std::vector<std::string>{std::string("read as NEMO's SnapShot, ") +
                                       (little ? "little" : "big") + " endian, time 0.125"});
      }
    }
  }
  auto const keyed = formats::read_nemo({nemo_file({{0.0, true, true, {7, 3}}}), "f"});
  CHECK(keyed.has_ids);
  CHECK(keyed.bodies.id == std::vector<std::uint64_t>{7, 3});
  auto const zeros = formats::read_nemo({nemo_file({{0.0, true, true, {0, 0}}}), "f"});
  CHECK_FALSE(zeros.has_ids);
  REQUIRE(zeros.unused.size() == 1);
  CHECK(contains(zeros.unused[0], "keys"));
}

TEST_CASE("nemo: one of several snapshots is chosen, with the masses of the first") {
  auto const bytes =
      nemo_file({{0.0, true, true, {}}, {0.5, false, true, {}}, {1.0, false, true, {}}});
  CHECK(refused_nemo(bytes) ==
        "f: bodies at several times (it has 3 times: 0, 0.5, 1); choose one with bodies.time "
        "(convert and render: --time)");
  for (double const time : {0.0, 0.5, 1.0})
    check_bodies(formats::read_nemo({bytes, "f"}, {}, time), time);
  CHECK(contains(refusal([&] {
                   formats::read_nemo({bytes, "f"}, {}, 2.0);
                 }),
                 "no bodies at time 2"));
  auto const single = nemo_file({{0.1, true, true, {}}, {0.2, true, true, {}}}, true, true);
  CHECK(formats::read_nemo({single, "f"}, {}, 0.2).time == static_cast<double>(0.2F));
}

TEST_CASE("nemo: a listing by tsf") {
  std::string const listing =
      "char History[24] \"mkplummer out=p \\\" nbody=2\"\nset SnapShot\n  set Parameters\n    int "
      "Nobj "
      "2 \n    double Time 0.125000\n  tes\n  set Particles\n    int CoordSystem 66306 \n"
      "    double Mass[2] 0.500000 \n      0.250000\n    double PhaseSpace[2][2][3] 1.00000 2 3 4 "
      "5\n"
      "      6.12500 -1 -2 -3 -4 -5 -6\n    double Potential[2] -1.0 . . .\n  tes\ntes\n";
  auto const file = formats::read_nemo({listing, "f"});
  check_bodies(file, 0.125);
  CHECK(file.unused == std::vector<std::string>{"items 'Potential' of NEMO"});
  CHECK(contains(file.notes.at(0), "a listing by tsf, with the digits it shows"));
  auto shortened = listing;
  shortened.replace(shortened.find("0.250000"), 8, ". . . ");
  CHECK(contains(refused_nemo(shortened), "a shortened listing (values of 'Mass' are left out"));
  // A file may have any extension.
  Scratch const folder;
  for (auto const* name : {"a.dat", "b.txt", "c.tab", "d.nemo", "e"}) {
    files::write_file(folder / name, listing);
    CHECK(formats::format_of(folder / name) == "nemo");
    files::write_file(folder / name, nemo_file({{}}));
    CHECK(formats::format_of(folder / name) == "nemo");
    check_bodies(formats::read_bodies(folder / name, "nemo"), 0.0);
  }
}

TEST_CASE("nemo: damaged files are refused before memory is allocated") {
  auto const whole = nemo_file({{}});
  for (std::size_t size = 1; size < whole.size(); ++size) {
    CAPTURE(size);
    auto const message = refused_nemo(whole.substr(0, size));
    CHECK(contains(message, "check"));
  }
  NemoWriter huge(true, false);
  huge.set("SnapShot");
  huge.numbers("Mass", {4000000000U, 4000000000U, 4000000000U}, {});
  CHECK(contains(refused_nemo(huge.bytes()), "too few bytes for 'Mass'"));
  NemoWriter wrong(false, false);
  wrong.set("SnapShot");
  wrong.set("Parameters");
  wrong.integer("Nobj", 3);
  wrong.tes();
  wrong.set("Particles");
  wrong.numbers("Mass", {2}, {1, 1});
  wrong.tes();
  wrong.tes();
  CHECK(contains(refused_nemo(wrong.bytes()),
                 "'Mass' has the wrong size (the snapshot has 3 bodies in space)"));
  CHECK(
      contains(refused_nemo(NemoWriter(true, true).bytes() + "\x92\x09q"), "ends within an item"));
  NemoWriter none(true, true);
  none.history("x");
  CHECK(contains(refused_nemo(none.bytes()), "there is no set 'SnapShot'"));
}
