// SPDX-License-Identifier: Apache-2.0
#include "files/file.hpp"
#include "formats/bodies_formats.hpp"
#include "support/contains.hpp"
#include "support/decks.hpp"
#include "support/problems.hpp"
#include "support/scratch.hpp"

#include <doctest/doctest.h>

using namespace apsis;
using testing::contains;
using testing::refusal;
using testing::Scratch;

namespace {
formats::BodiesFile read_table(std::string const& text, std::string const& columns = "") {
  return formats::read_text_bodies({text, "f"}, {}, {columns, {}});
}
}  // namespace

TEST_CASE("text: seven columns without names are rejected if the masses may be last") {
  for (auto const* const text : {
           "1 2 3 0.1 -0.2 0.3 0.5\n2 1 -3 0.2 0.1 -0.1 0.25\n",
           "0.5,0,0,0,1,0,1\n1.5,0,0,0,-1,0,1\n",
           "# three bodies\n0 0 0 0 0 0 1\n1 0 0 0 1 0 1e-3\n5.2 0 0 0 0.44 0 0\n",
           "# units: solar\n1 0 0 0 1 0 1e-3\n2 0 0 0 0.7 0 1e-3\n",
       }) {
    CAPTURE(text);
    auto const message = refusal([&] { read_table(text); });
    CHECK(contains(message, "f: columns without names in an order that is not clear"));
    CHECK(contains(message, "'# mass x y z vx vy vz'"));
    CHECK(contains(message, "bodies.columns"));
    // With names, both orders can be read.
    std::string const rows = text;
    auto const blanks = rows.find(',') == std::string::npos;
    auto const named = [&](char const* words, char const* commas) {
      return read_table((blanks ? words : commas) + rows).bodies;
    };
    auto const last = named("x y z vx vy vz m\n", "x,y,z,vx,vy,vz,m\n");
    auto const first = named("# mass x y z vx vy vz\n", "mass,x,y,z,vx,vy,vz\n");
    CHECK(last.position[1].x == first.mass[1]);
    CHECK(last.mass[1] == first.velocity[1].z);
    CHECK(read_table(rows, "x y z vx vy vz mass").bodies.mass == last.mass);
  }
}

TEST_CASE(
    "text: seven columns without names are mass x y z vx vy vz if no other order is possible") {
  for (auto const* const text : {
           "0.25 1 2 3 4 5 6\n0.5 1 -2 3 -4 5 -6\n",  // the last value has both signs
           "0.25 1 2 3 4 5 -6\n0.5 1 2 3 4 5 -6\n",   // the last value is negative
           "0.25 1 2 0 4 5 0\n0.5 -1 2 0 -4 5 0\n",   // a planar system
           "0.25 1 2 3 4 5 6\n0.25 7 8 9 1 2 3\n",    // equal masses
           "0.25 1 2 3 4 5 6\n",                      // one body
           "# mass pos vel\n0.25 1 2 3 4 5 6\n0.5 7 8 9 1 2 3\n",
       }) {
    CAPTURE(text);
    CHECK(read_table(text).bodies.mass[0] == 0.25);
  }
}

TEST_CASE("text: the caller can name the columns") {
  std::string const rows = "7 1 2 3 4 5 6 0.5 x\n9 1 2 3 -4 5 6 0.25 y\n";
  auto const file = read_table(rows, "id x y z vx vy vz m -");
  CHECK(file.bodies.mass == std::vector<double>{0.5, 0.25});
  CHECK(file.bodies.id == std::vector<std::uint64_t>{7, 9});
  CHECK(file.bodies.velocity[1] == Vec3<double>{-4, 5, 6});
  CHECK(file.has_ids);
  // The names override those in the file, and the file's line of names is not read as a row.
  CHECK(read_table("a b c d e f g h i\n" + rows, "-,x,y,z,vx,vy,vz,mass,-").bodies.mass.size() ==
        2);
  CHECK(
      read_table("# mass x y z vx vy vz\n1 2 3 4 5 6 7\n", "x y z vx vy vz mass").bodies.mass[0] ==
      7.0);
  CHECK(contains(refusal([&] { read_table(rows, "x y z vx vy vz mass"); }),
                 "9 instead of 7, and 1 further line); give a name in bodies.columns for each"));
  CHECK(contains(refusal([&] { read_table(rows, "x y z vx vy vz"); }), "'mass' is missing"));
}

TEST_CASE("the key bodies.columns of a deck names the columns") {
  Scratch const folder;
  auto const path = folder / "bodies.txt";
  files::write_file(path, "1 0 0 0 1 0 0.5 9\n2 0 0 0 0.7 0 0.25 9\n");
  auto const bodies = [&](std::string const& more) {
    return testing::problems_of(testing::sphere_deck,
                                {"bodies={\"file\": \"" + path.string() + "\"" + more + "}"});
  };
  CHECK(bodies(R"(, "columns": "x y z vx vy vz mass -")") == "");
  CHECK(contains(bodies(""), "wrong number of columns"));
  CHECK(contains(bodies(R"(, "columns": "x y z vx vy vz -")"),
                 "bodies.columns: columns that cannot be read ('mass' is missing)"));
  CHECK(contains(bodies(R"(, "columns": "x y z vx vy vz mass mass")"), "'mass' is named twice"));
  CHECK(contains(bodies(R"(, "columns": "x y z vx vy vz mass q")"), "'q' is not a column"));
  CHECK(contains(bodies(R"(, "columns": "")"), "'mass' is missing"));
  CHECK(contains(bodies(R"(, "format": "tipsy", "columns": "x y z vx vy vz mass")"),
                 "has no named columns"));
  auto const run = testing::configured(
      testing::sphere_deck,
      {"bodies={\"file\": \"" + path.string() + R"(", "columns": "x y z vx vy vz mass -"})"});
  CHECK(run.bodies.file->bodies.mass == std::vector<double>{0.5, 0.25});
}
