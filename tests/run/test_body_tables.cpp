// SPDX-License-Identifier: Apache-2.0
#include "files/file.hpp"
#include "support/contains.hpp"
#include "support/decks.hpp"
#include "support/relative.hpp"
#include "support/runs.hpp"
#include <apsis/core/text.hpp>
#include <apsis/formats/snapshot.hpp>

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

/// Tables of orbits about any primary, with names, and output at listed times.
using namespace apsis;
using testing::approximately;
using testing::contains;
using testing::RunFiles;

namespace {

std::string const hierarchy_deck = R"({"units": {"system": "solar"}, "bodies": {"list": [
    {"name": "A", "mass": 1, "position": [0, 0, 0]},
    {"name": "B", "mass": 0.5, "semi_major_axis": 0.2, "primary": "A"},
    {"name": "P", "mass": "1 Mjup", "semi_major_axis": 3, "eccentricity": 0.1, "inclination": 40,
     "primary": "A, B"},
    {"name": "moon", "mass": 0, "semi_major_axis": 0.01, "eccentricity": 0.2, "inclination": 60,
     "argument": 30, "primary": "P"}]},
  "integrator": {"name": "gauss_radau15", "time_step": 0.01}, "run": {"steps": 40},
  "output": {"conservation_interval": 0.2},
  "diagnostics": {"orbital_elements": {}}})";

std::vector<std::vector<std::string>> table_rows(RunFiles const& files, std::string const& table) {
  std::istringstream lines(files::read_file(files.path() / table));
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(lines, line);) rows.push_back(split_at_commas(line));
  return rows;
}

/// Message of the error when the bodies of a run are made.
std::string hierarchy_error(std::vector<std::string> const& overrides) {
  try {
    simulation::make_bodies(testing::configured(hierarchy_deck, overrides));
  } catch (Error const& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("orbits are about a primary by name or id, with angles in degrees and names") {
  for (auto const* primary : {"P", "2"}) {
    CAPTURE(primary);
    RunFiles files("moon");
    files.start(hierarchy_deck, {"diagnostics.orbital_elements.primary=" + std::string(primary),
                                 "diagnostics.orbital_elements.bodies=[3]"});
    auto const rows = table_rows(files, "orbital_elements.csv");
    REQUIRE(rows.size() == 4);
    CHECK(rows[0].back() == "name");
    CHECK(std::stod(rows[1][2]) == approximately(0.01, 1e-11));
    CHECK(std::stod(rows[1][3]) == approximately(0.2, 1e-11));
    CHECK(std::stod(rows[1][4]) == approximately(60.0, 1e-11));
    CHECK(std::stod(rows[1][6]) == approximately(30.0, 1e-9));
    CHECK(rows[1][10] == "3");
    CHECK(rows[1][11] == "moon");
  }
  RunFiles files("pair");
  files.start(hierarchy_deck, {"diagnostics.orbital_elements.primary=A, B"});
  auto const rows = table_rows(files, "orbital_elements.csv");
  REQUIRE(rows.size() == 7);  // two bodies at three times
  CHECK(rows[1][11] == "P");
  CHECK(std::stod(rows[1][2]) == approximately(3.0, 1e-12));
  CHECK(std::stod(rows[1][4]) == approximately(40.0, 1e-12));
  auto const described = files::read_file(files.path() / "orbital_elements.csv-metadata.json");
  CHECK(contains(described, R"("datatype": "string")"));

  RunFiles plain("plain");
  plain.start(hierarchy_deck, {"diagnostics.orbital_elements.names=false"});
  CHECK(table_rows(plain, "orbital_elements.csv")[0].back() == "id");

  CHECK(contains(hierarchy_error({"diagnostics.orbital_elements.primary=Q"}),
                 "diagnostics.orbital_elements.primary: no body has the name 'Q' (names: 'A', 'B', "
                 "'P', 'moon')"));
  CHECK(contains(hierarchy_error({"diagnostics.orbital_elements.primary=4"}),
                 "no body has the id 4"));
}

TEST_CASE("rows and snapshots are written at listed and at logarithmic times") {
  RunFiles files("listed");
  files.start(
      hierarchy_deck,
      {"diagnostics.orbital_elements.times=[0.03]",
       R"(diagnostics.orbital_elements.logarithmic_times={"first": 0.01, "last": 0.2, "count": 4})",
       "diagnostics.orbital_elements.bodies=[1]", "output.snapshot_times=[0.05,0.4]"});
  std::vector<std::string> steps;
  for (auto const& row : table_rows(files, "orbital_elements.csv")) steps.push_back(row[0]);
  // 20^(k / 3): 1, 2.7, 7.4, 20.
  CHECK(steps == std::vector<std::string>{"step", "0", "1", "3", "7", "20", "40"});
  auto const first = formats::read_snapshot(files.path() / "snapshot_000000.h5");
  CHECK(first.step == 5);
  CHECK(first.bodies.name == std::vector<std::string>{"A", "B", "P", "moon"});
  CHECK(formats::read_snapshot(files.path() / "snapshot_000001.h5").step == 40);
  CHECK_FALSE(std::filesystem::exists(files.path() / "snapshot_000002.h5"));
}
