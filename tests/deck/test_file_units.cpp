// SPDX-License-Identifier: Apache-2.0
#include "files/file.hpp"
#include "support/contains.hpp"
#include "support/decks.hpp"
#include "support/relative.hpp"
#include "support/scratch.hpp"
#include <apsis/deck/configuration.hpp>
#include <apsis/deck/remarks.hpp>

#include <doctest/doctest.h>

#include <algorithm>

using namespace apsis;
using apsis::testing::approximately;
using testing::contains;
using testing::Scratch;

namespace {

constexpr char const* pc_km_s = R"({"length": "pc", "mass": "Msun", "velocity": "km/s"})";
constexpr char const* gadget =
    "# units: length 3.085678e21 cm, mass 1.989e43 g, velocity 1e5 cm/s\n";

/// A deck with bodies from a file, in the folder of the test.
class FileDeck {
 public:
  explicit FileDeck(std::string const& text) { files::write_file(folder_ / "b.txt", text); }

  /// `file`: further keys of `bodies`; `units` and `run`: whole sections.
  std::vector<std::string> overrides(std::string const& file, std::string const& units,
                                     std::string const& run = R"({"end_time": 1})") const {
    return {R"(bodies={"file": ")" + (folder_ / "b.txt").string() + "\"" + file + "}",
            "units=" + units, "run=" + run, "integrator.time_step=0.125"};
  }
  deck::Configuration configured(std::string const& file, std::string const& units,
                                 std::string const& run = R"({"end_time": 1})") const {
    return testing::configured(testing::sphere_deck, overrides(file, units, run));
  }
  std::string problems(std::string const& file, std::string const& units,
                       std::string const& run = R"({"end_time": 1})") const {
    return testing::problems_of(testing::sphere_deck, overrides(file, units, run));
  }

 private:
  Scratch folder_;
};

std::string units_key(std::string const& units) {
  return R"(, "units": )" + units;
}

bool notes_have(deck::Configuration const& run, std::string const& words) {
  auto const notes = deck::remarks(run);
  return std::any_of(notes.begin(), notes.end(),
                     [&](std::string const& note) { return contains(note, words); });
}

constexpr char const* astrophysical = R"({"system": "astrophysical"})";

}  // namespace

TEST_CASE("bodies.units: a file in pc, Msun and km/s runs in Myr") {
  FileDeck const deck(
      "time mass x y z vx vy vz radius\n3 2 1 -2 3 4 5 -6 0.5\n3 0 0 0 1 0 0 0 0\n");
  auto const run = deck.configured(units_key(pc_km_s), astrophysical);
  auto const& file = *run.bodies.file;
  // 1 km/s is 1.022712165045695 pc/Myr: the parsec of IAU 2015 and Julian years.
  double const velocity = 1.022712165045695;
  CHECK(file.bodies.mass[0] == 2.0);
  CHECK(file.bodies.position[0] == Vec3<double>{1, -2, 3});
  CHECK(file.bodies.radius[0] == 0.5);
  CHECK(file.bodies.velocity[0].x == approximately(4.0 * velocity, 1e-15));
  CHECK(file.bodies.velocity[0].z == approximately(-6.0 * velocity, 1e-15));
  CHECK(file.time == approximately(3.0 / velocity, 1e-15));  // pc / (km/s) is 0.978 Myr
  CHECK(notes_have(run, "its numbers are converted from pc, Msun, km/s to pc, Msun, Myr"));
  CHECK_FALSE(notes_have(run, "names no units"));
  auto const in_au = deck.configured(units_key(pc_km_s), R"({"system": "solar"})");
  CHECK(in_au.bodies.file->bodies.position[0].x == approximately(206264.80624709636, 1e-15));
  CHECK(in_au.bodies.file->bodies.radius[0] == approximately(0.5 * 206264.80624709636, 1e-15));
  CHECK(in_au.bodies.file->bodies.mass[0] == 2.0);
  CHECK(in_au.bodies.file->bodies.velocity[0].x == approximately(4.0 * 0.21094952656969867, 1e-14));
}

TEST_CASE("bodies.units: equal units keep all bits, and rounded ones are replaced") {
  std::string const kpc = R"({"length": "kpc", "mass": "1e10 Msun", "velocity": "km/s"})";
  FileDeck const deck(gadget + std::string("0.1 0.3 0 0.7 220.1 0 0.9\n"));
  CHECK(contains(deck.problems("", kpc), "contradicts units"));
  CHECK(
      contains(deck.problems("", kpc), R"(or bodies.units to {"system": "file"} to convert them)"));
  auto const run = deck.configured(units_key(kpc), kpc);
  auto const& bodies = run.bodies.file->bodies;
  CHECK(bodies.mass[0] == 0.1);
  CHECK(bodies.position[0] == Vec3<double>{0.3, 0, 0.7});
  CHECK(bodies.velocity[0] == Vec3<double>{220.1, 0, 0.9});
  CHECK(notes_have(run, "its units, length 3.08568e+19 m, mass 1.989e+40 kg"));
  CHECK_FALSE(notes_have(run, "are converted"));
  // With the units that the file states the numbers change by 3e-4 in mass.
  auto const by_file = deck.configured(units_key(R"({"system": "file"})"), kpc);
  double const solar_mass = 1.3271244e20 / 6.6743e-11;
  CHECK(by_file.bodies.file->bodies.mass[0] ==
        approximately(0.1 * (1.989e40 / (1e10 * solar_mass)), 1e-14));
  // Units that are not near those of the file are a contradiction.
  auto const wrong = deck.problems(units_key(pc_km_s), astrophysical);
  CHECK(contains(wrong, "bodies.units: contradicts the file (the units that it states are "));
}

TEST_CASE("bodies.units: units after names are then not reported as unused") {
  FileDeck const deck(
      "mass_[Msun] x_[pc] y_[pc] z_[pc] vx_[km/s] vy_[km/s] vz_[km/s]\n1 0 0 1 0 0 -1\n");
  CHECK(notes_have(deck.configured("", astrophysical), "the units of line 1"));
  CHECK_FALSE(notes_have(deck.configured(units_key(pc_km_s), astrophysical), "the units of line"));
}

TEST_CASE("bodies.units: refusals") {
  FileDeck const deck("1 0 0 1 0 0 -1\n");
  CHECK(contains(deck.problems(units_key(pc_km_s), R"({"system": "henon"})"),
                 "bodies.units: contradicts units (the deck has numbers without units)"));
  CHECK(contains(deck.problems(units_key(R"({"system": "file"})"), astrophysical),
                 "bodies.units: the file states no units"));
  CHECK(contains(deck.problems(units_key(R"({"system": "henon"})"), astrophysical),
                 "bodies.units.system"));
  CHECK(deck.problems(units_key(astrophysical), astrophysical) == "");
}

TEST_CASE("run.start_time: a number or the time of the file") {
  FileDeck const deck("time mass x y z vx vy vz\n3 2 1 -2 3 4 5 -6\n3 1 0 0 1 0 0 0\n");
  std::string const none = R"({"system": "henon"})";
  auto const by_file = deck.configured("", none, R"({"start_time": "file", "end_time": 4})");
  CHECK(by_file.start_time == 3.0);
  CHECK(by_file.steps == 8);
  CHECK(by_file.time(8) == 4.0);
  CHECK_FALSE(notes_have(by_file, "the time of the file"));
  auto const by_number = deck.configured("", none, R"({"start_time": -1, "steps": 4})");
  CHECK(by_number.time(0) == -1.0);
  CHECK(by_number.time(4) == -0.5);
  CHECK(notes_have(by_number,
                   "the time of the file of bodies, 3: the run begins at time -1; run.start_time"));
  CHECK(notes_have(deck.configured("", none), "the run begins at time 0"));
  FileDeck const without_time("2 1 -2 3 4 5 -6\n1 0 0 1 0 0 0\n");
  CHECK(contains(without_time.problems("", none, R"({"start_time": "file", "end_time": 4})"),
                 "run.start_time: a file of bodies without a time (it is 'file')"));
  // Times of the deck count from the same zero.
  auto overrides = deck.overrides("", none, R"({"start_time": "file", "end_time": 4})");
  overrides.emplace_back("output={\"snapshot_times\": [3, 3.5]}");
  CHECK(testing::configured(testing::sphere_deck, overrides).output.snapshot_listed ==
        std::vector<std::uint64_t>{0, 4});
  CHECK(contains(deck.problems("", none, R"({"start_time": "file", "end_time": 2})"),
                 "run.end_time: against the direction of time (it is 2, with run.start_time 3,"));
  CHECK(contains(deck.problems("", none, R"({"start_time": "file", "end_time": 3.1})"),
                 "the nearest time that is one is 3.125"));
  CHECK(contains(deck.problems("", none, R"({"start_time": "fil", "end_time": 3})"),
                 "run.start_time"));
  CHECK(contains(
      testing::problems_of(testing::sphere_deck, {R"(run={"start_time": "file", "steps": 3})"}),
      "run.start_time: there is no file of bodies"));
  // The time of the file is converted.
  auto const converted =
      deck.configured(units_key(pc_km_s), astrophysical, R"({"start_time": "file", "steps": 1})");
  CHECK(converted.start_time == approximately(3.0 / 1.022712165045695, 1e-15));
}
