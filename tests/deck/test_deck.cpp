// SPDX-License-Identifier: Apache-2.0
#include "files/file.hpp"
#include "support/problems.hpp"
#include "support/scratch.hpp"
#include <apsis/deck/deck.hpp>

#include <doctest/doctest.h>

#include <algorithm>

using namespace apsis;

namespace {

Parameter how_heavy() {
  std::vector<Form> forms{{"law", "equal", "all the same", {}, true},
                          {"law",
                           "power",
                           "a power law",
                           {number("slope", "").above(1.0).below(3.0).with_default(2.0)}}};
  return object("masses", std::move(forms), "how heavy").always_present();
}

Parameter bodies() {
  std::vector<Form> forms{
      {"generator",
       "ring",
       "a ring",
       {integer("count", "how many").at_least(0).needed(), how_heavy()}},
      {"generator", "ball", "a ball", {number("radius", "how large").above(0.0).with_default(2.0)}},
      {"list",
       "",
       "written out",
       {records("list",
                {number("mass", "").at_least(0.0).needed(),
                 vector3("position", "").with_default(Vec3<double>{}), how_heavy()},
                "")
            .needed()}}};
  return object("bodies", std::move(forms), "where from").needed();
}

Parameter gravity() {
  std::vector<Parameter> keys{
      number("softening", "eps").at_least(0.0).with_default(0.5),
      choice("precision", {"single", "double"}, "").with_default(std::string("double")),
      boolean("fast", "").with_default(false)};
  return object("gravity", std::move(keys), "the law").always_present();
}

Parameter extra() {
  std::vector<Parameter> keys{numbers("fractions", "").above(0.0).at_most(1.0),
                              object("inner", std::vector<Parameter>{number("depth", "")}, "")};
  return object("extra", std::move(keys), "more");
}

deck::DeckTable const& table() {
  static deck::DeckTable const table{{text("title", "a title").with_default(std::string())},
                                     {bodies(), gravity(), extra()}};
  return table;
}

struct Reading {
  deck::Deck deck;
  std::vector<Problem> problems;
};

Reading read(std::string const& json, std::vector<std::string> const& overrides = {}) {
  Reading reading;
  reading.deck = deck::read_deck(json, "deck", overrides, table(), reading.problems);
  return reading;
}

/// The problems of a deck as text, one line each.
std::string problem(std::string const& json, std::vector<std::string> const& overrides = {}) {
  auto const reading = read(json, overrides);
  std::string lines;
  for (auto const& p : reading.problems) lines += (lines.empty() ? "" : "\n") + p.text();
  return lines;
}

std::string const three_bodies = R"("bodies": {"generator": "ring", "count": 3})";

}  // namespace

TEST_CASE("a valid deck gives its values and all defaults") {
  auto const reading = read("{" + three_bodies + R"(, "gravity": {"fast": true}})");
  CHECK(reading.problems.empty());
  CHECK(reading.deck.sections.at("bodies").integer("count") == 3);
  CHECK(reading.deck.sections.at("bodies").text("generator") == "ring");
  CHECK(reading.deck.sections.at("gravity").number("softening") == 0.5);
  CHECK(reading.deck.sections.at("gravity").boolean("fast"));
  CHECK(reading.deck.top.text("title").empty());
}

TEST_CASE("a resolved deck reads back unchanged") {
  for (auto const* bodies :
       {R"("bodies": {"generator": "ball"})", R"("bodies": {"generator": "ring", "count": 1})",
        R"("extra": {"inner": {"depth": 1}, "fractions": [0.5, 1]},
                                "bodies": {"generator": "ring", "count": 1,
                                           "masses": {"law": "power", "slope": 2.5}})",
        R"("bodies": {"list": [{"mass": 0.1, "position": [1, 2, 3e-5]}]})"}) {
    auto const once = read("{" + std::string(bodies) + "}");
    REQUIRE(once.problems.empty());
    auto const json = deck::write_deck(once.deck, table());
    auto const twice = read(json);
    CHECK(twice.problems.empty());
    CHECK(deck::write_deck(twice.deck, table()) == json);
    CHECK(json.find("softening") != std::string::npos);
  }
}

TEST_CASE("objects may contain objects with forms of their own") {
  auto const plain = read("{" + three_bodies + "}");
  CHECK(plain.deck.sections.at("bodies").object("masses").text("law") == "equal");
  CHECK(!plain.deck.has("extra"));
  auto const power = read(
      R"({"bodies": {"generator": "ring", "count": 3, "masses": {"law": "power", "slope": 2.5}},
          "extra": {"fractions": [0.1, 1]}})");
  REQUIRE(power.problems.empty());
  CHECK(power.deck.sections.at("bodies").object("masses").number("slope") == 2.5);
  CHECK(power.deck.sections.at("extra").numbers("fractions") == std::vector<double>{0.1, 1.0});
  CHECK(!power.deck.sections.at("extra").has("inner"));

  std::string const masses = R"({"bodies": {"generator": "ring", "count": 3, "masses": )";
  CHECK(problem(masses + R"({"law": "power", "slope": 3}}})") ==
        "deck: bodies.masses.slope: out of range (found 3); must be a finite number > 1 and < 3");
  CHECK(problem(masses + R"({"slope": 2}}})") ==
        "deck: bodies.masses.slope: unknown key (allowed: 'law'); it belongs to 'masses' "
        "with law 'power'");
  CHECK(problem(masses + R"({"law": "poewr"}}})") ==
        "deck: bodies.masses.law: unknown value (found \"poewr\"); must be one of 'equal', "
        "'power'; did you mean 'power'?");
  CHECK(problem(masses + "3}}") == "deck: bodies.masses: wrong type (found 3); write an object");
  CHECK(problem("{" + three_bodies + R"(, "extra": {"fractions": [0.5, 2, "x"]}})") ==
        "deck: extra.fractions[1]: out of range (found 2); must be a finite number > 0 and <= 1\n"
        "deck: extra.fractions[2]: wrong type (found \"x\"); write a number");
  CHECK(problem(R"({"bodies": {"list": [{"mass": 1, "masses": {"law": 1}}]}})") ==
        "deck: bodies.list[0].masses.law: wrong type (found 1); must be one of 'equal', 'power'");
}

TEST_CASE("each error states the place, the allowed values and what to do") {
  CHECK(problem("{" + three_bodies + R"(, "gravity": {"sofetning": 1}})") ==
        "deck: gravity.sofetning: unknown key (allowed: 'softening', 'precision', 'fast'); "
        "did you mean 'softening'?");
  CHECK(problem("{" + three_bodies + R"(, "softening": 1})") ==
        "deck: softening: unknown key (allowed: 'title', 'bodies', 'gravity', 'extra'); "
        "it belongs to 'gravity'");
  CHECK(problem(R"({"bodies": {"generator": "ring", "count": 3, "radius": 1}})") ==
        "deck: bodies.radius: unknown key (allowed: 'generator', 'count', 'masses'); "
        "it belongs to 'bodies' with generator 'ball'");
  CHECK(problem("{" + three_bodies + R"(, "gravity": {"softening": "0.1"}})") ==
        "deck: gravity.softening: wrong type (found \"0.1\"); must be a finite number >= 0");
  CHECK(problem("{" + three_bodies + R"(, "gravity": {"softening": -1}})") ==
        "deck: gravity.softening: out of range (found -1); must be a finite number >= 0");
  CHECK(problem("{" + three_bodies + R"(, "gravity": {"precision": "duoble"}})") ==
        "deck: gravity.precision: unknown value (found \"duoble\"); must be one of 'single', "
        "'double'; did you mean 'double'?");
  CHECK(problem(R"({"bodies": {"generator": "rnig", "count": 3}})") ==
        "deck: bodies.generator: unknown value (found \"rnig\"); must be one of 'ring', 'ball'; "
        "did you mean 'ring'?");
  CHECK(problem(R"({"bodies": {"generator": "ring"}})") ==
        "deck: bodies.count: missing key (how many); must be a whole number >= 0");
  CHECK(problem("{}") == "deck: bodies: missing section (where from); add \"bodies\": {...}");
  CHECK(problem(R"({"bodies": {}})") ==
        "deck: bodies: missing key (where from); give one of 'generator', 'list'");
  CHECK(problem(R"({"bodies": {"generator": "ball", "list": []}})") ==
        "deck: bodies: contradictory keys ('generator', 'list' are given together); "
        "keep one of them");
  CHECK(problem(R"({"bodies": 3})") == "deck: bodies: wrong type (found 3); write an object");
  CHECK(problem("[]") == "deck: not a deck (the text is []); write a JSON object");
  CHECK(problem(R"({"bodies": {"list": [{"mass": 1}, {"mass": -1}]}})") ==
        "deck: bodies.list[1].mass: out of range (found -1); must be a finite number >= 0");
  CHECK(problem(R"({"bodies": {"list": [{"mass": 1, "position": [1, 2]}]}})") ==
        "deck: bodies.list[0].position: wrong type (found [1,2]); "
        "must be an array of three finite numbers");
  CHECK(problem(R"({"bodies": {"generator": "ring", "count": 2.5}})") ==
        "deck: bodies.count: wrong type (found 2.5); must be a whole number >= 0");
}

TEST_CASE("duplicate keys are errors at any level") {
  CHECK(problem("{" + three_bodies + "," + three_bodies + "}") ==
        "deck: bodies: duplicate key (one of the two values would be ignored); keep one of them");
  CHECK(problem(R"({"bodies": {"list": [{"mass": 1}, {"mass": 1, "mass": 2}]}})") ==
        "deck: bodies.list[1].mass: duplicate key (one of the two values would be ignored); "
        "keep one of them");
}

TEST_CASE("invalid JSON gives one error with line and column") {
  for (auto const* text : {"", "{", R"({"bodies": {"count": NaN}})", R"({"a": 1,})", "{} {}"}) {
    auto const reading = read(text);
    REQUIRE(reading.problems.size() == 1);
    CHECK(reading.problems[0].problem == "not valid JSON");
    CHECK(reading.problems[0].why.find("line 1, column") != std::string::npos);
  }
  // A number that overflows a double is an error, not an infinity.
  CHECK(read("{" + three_bodies + R"(, "gravity": {"softening": 1e999}})").problems.size() == 1);
}

TEST_CASE("all problems are reported together") {
  auto const reading = read(R"({"bodies": {"generator": "ring", "count": -1, "cuont": 1},
                                "gravity": {"softening": true, "precision": 3}, "x": 0})");
  CHECK(reading.problems.size() == 5);
}

TEST_CASE("an unknown choice does not hide other errors of its section") {
  auto const reading =
      read(R"({"bodies": {"generator": "rnig", "count": -1, "radius": "x", "nothing": 1}})");
  REQUIRE(reading.problems.size() == 4);
}

TEST_CASE("excessive nesting is rejected") {
  std::string const deep(200000, '[');
  CHECK_THROWS_AS(read("{\"bodies\": " + deep + std::string(200000, ']') + "}"), Error);
  CHECK_THROWS_AS(read(deep), Error);
}

TEST_CASE("the error report of a deck has a bounded length") {
  std::string keys;
  for (int i = 0; i < 1000; ++i) keys += "\"" + std::to_string(i) + "\": 1, ";
  auto const many = read("{" + keys + R"("bodies": {"list": [{"mass": -1}]}})");
  REQUIRE(many.problems.size() == 101);
  CHECK(many.problems.back().text() ==
        "deck: more problems (only the first 100 are shown); correct them and check again");
  CHECK(!many.deck.sections.at("bodies").has("list"));  // wrong values are left out nevertheless

  // Long keys and values are shortened in error messages.
  std::string const key(100000, 'k'), place = std::string(60, 'k') + "...";
  CHECK(problem("{" + three_bodies + ", \"" + key + R"(": {"a": 1, "a": 1}})") ==
        "deck: " + place +
            ".a: duplicate key (one of the two values would be ignored); keep one of "
            "them\ndeck: " +
            place +
            ": unknown key (allowed: 'title', 'bodies', 'gravity', 'extra'); "
            "remove it");
  CHECK(problem("{" + three_bodies + ", \"title\": [\"" + key + "\"]}").size() < 200);
  CHECK(problem("{" + three_bodies + ", \"gravity\": \"" + key + "\"}").size() < 200);
  CHECK(problem("{" + three_bodies + ", \"" + key).size() < 400);
}

TEST_CASE("integers may be written in any form that JSON Schema allows") {
  auto const reading = read(R"({"bodies": {"generator": "ring", "count": 1e3}})");
  CHECK(reading.problems.empty());
  CHECK(reading.deck.sections.at("bodies").integer("count") == 1000);
  CHECK(problem(R"({"bodies": {"generator": "ring", "count": 1e300}})").find("out of range") !=
        std::string::npos);
}

TEST_CASE("overrides are checked like the deck") {
  auto const set = read("{" + three_bodies + "}",
                        {"gravity.softening=0.25", "gravity.precision=single", "bodies.count=9"});
  CHECK(set.problems.empty());
  CHECK(set.deck.sections.at("gravity").number("softening") == 0.25);
  CHECK(set.deck.sections.at("gravity").text("precision") == "single");
  CHECK(set.deck.sections.at("bodies").integer("count") == 9);
  auto const list =
      read(R"({"bodies": {"list": [{"mass": 1}, {"mass": 2}]}})", {"bodies.list[1].mass=5"});
  CHECK(list.problems.empty());
  CHECK(list.deck.sections.at("bodies").records("list")[1].number("mass") == 5.0);

  CHECK(problem("{" + three_bodies + "}", {"gravity.softening=-1"}) ==
        "deck: gravity.softening: out of range (found -1); must be a finite number >= 0");
  CHECK(
      problem("{" + three_bodies + "}", {"gravity.sofetning=1"}).find("did you mean 'softening'") !=
      std::string::npos);
  CHECK(problem("{" + three_bodies + "}", {"bodies.count.x=1"}).find("no such place") !=
        std::string::npos);
  CHECK(problem(R"({"bodies": {"list": []}})", {"bodies.list[0].mass=1"}).find("no element") !=
        std::string::npos);
  CHECK_THROWS_AS(read("{}", {"gravity.softening"}), Error);
  CHECK_THROWS_AS(read("{}", {"=1"}), Error);
  CHECK_THROWS_AS(read("{}", {"bodies.list[0.mass=1"}), Error);
  CHECK_THROWS_AS(read("{}", {"bodies.li]st=1"}), Error);
  CHECK_THROWS_AS(read("{}", {"bodies..count=1"}), Error);
  CHECK_THROWS_AS(read("{}", {"title=\xff"}), Error);
  // null removes a key.
  CHECK(read("{" + three_bodies + R"(, "gravity": {"softening": 0.1}})", {"gravity.softening=null"})
            .deck.sections.at("gravity")
            .number("softening") == 0.5);
}

TEST_CASE("files are replaced completely, and failures are input/output errors") {
  apsis::testing::Scratch const scratch;
  auto const path = scratch / "file.txt";
  files::write_file(path, "one");
  files::write_file(path, "two\n");
  CHECK(files::read_file(path) == "two\n");
  auto const status = [](auto const& action) {
    try {
      action();
    } catch (Error const& error) {
      return static_cast<int>(error.status());
    }
    return 0;
  };
  CHECK(status([&] { files::read_file(scratch / "nowhere/deck.json"); }) == 74);
  CHECK(status([] { files::read_file("/"); }) == 74);
  CHECK(status([&] { files::write_file(scratch / "nowhere/file", "x"); }) == 74);
  CHECK(status([] { files::LineFile("/dev/full").write("a line"); }) == 74);
}

TEST_CASE("a file above the size limit is rejected, before reading if its size is known") {
  apsis::testing::Scratch const scratch;
  auto const path = scratch / "file.txt";
  files::write_file(path, "four");
  CHECK(files::read_file(path, {4, "a deck"}) == "four");
  CHECK(apsis::testing::refusal([&] {
          files::read_file(path, {3, "a deck"});
        }) == path.string() +
                  ": too large for a deck (it has 4 bytes, and at most 3 are read); check that "
                  "it is the right file");
  // Files in /proc report a size of 0 bytes.
  CHECK(files::read_file("/proc/self/status").size() > 100);
  CHECK(apsis::testing::refusal([] {
          files::read_file("/proc/self/status", {100, "a deck"});
        }).find("it has more bytes") != std::string::npos);
  CHECK(files::read_part(path, 1, 2) == "ou");
  CHECK(files::read_part(path, 3, 9) == "r");
  CHECK(files::read_part(path, 5, 9) == "");
}

TEST_CASE("written lines can be removed again") {
  apsis::testing::Scratch const scratch;
  auto const path = scratch / "lines.txt";
  {
    files::LineFile file(path);
    file.write("one");
    auto const good = file.written();
    file.write("two");
    file.write("three");
    file.cut(good);
    CHECK(files::read_file(path) == "one\n");
    file.write("four");
    CHECK(files::read_file(path) == "one\nfour\n");
    file.cut(good);
    file.cut({});
    file.write("five");
  }
  CHECK(files::read_file(path) == "five\n");
  CHECK_THROWS_AS(files::LineFile("/dev/null").cut({}), Error);
}
