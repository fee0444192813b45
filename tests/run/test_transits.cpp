// SPDX-License-Identifier: Apache-2.0
#include "files/file.hpp"
#include "support/contains.hpp"
#include "support/decks.hpp"
#include "support/relative.hpp"
#include "support/runs.hpp"
#include <apsis/core/text.hpp>
#include <apsis/run/session.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

using namespace apsis;
using testing::approximately;
using testing::contains;
using testing::RunFiles;

namespace {

constexpr double circle_constant = std::numbers::pi;

/// Edge-on: a massless planet with a = 1, e = 0.3, argument of pericentre 50 degrees.
std::string transit_deck(double time_step, std::uint64_t steps, std::string const& integrator) {
  return R"({"bodies": {"list": [{"name": "star", "mass": 1, "position": [0, 0, 0]},
    {"name": "b", "mass": 0, "semi_major_axis": 1, "eccentricity": 0.3, "inclination": 90,
     "argument": 50, "mean_anomaly": 10}]},
    "integrator": {"name": ")" +
         integrator + R"(", "time_step": )" + shortest(time_step) + R"(}, "run": {"steps": )" +
         std::to_string(steps) + R"(}, "diagnostics": {"transits": {}}})";
}

/// Two interacting planets near a 2:1 resonance.
std::string resonant_deck(double time_step, std::uint64_t steps) {
  return R"({"bodies": {"list": [{"mass": 1, "position": [0, 0, 0]},
    {"mass": 1e-4, "semi_major_axis": 1, "eccentricity": 0.02, "inclination": 89.9},
    {"mass": 3e-4, "semi_major_axis": 1.6, "inclination": 89.5, "mean_anomaly": 30}]},
    "integrator": {"name": "gauss_radau15", "time_step": )" +
         shortest(time_step) + R"(}, "run": {"steps": )" + std::to_string(steps) +
         R"(}, "output": {"conservation_interval": 0.4}, "diagnostics": {"transits": {"bodies": [1]}}})";
}

/// Fields of the rows of a table, without its header.
std::vector<std::vector<std::string>> transit_rows(RunFiles const& files) {
  std::istringstream lines(files::read_file(files.path() / "transits.csv"));
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) rows.push_back(split_at_commas(line));
  return rows;
}

/// Time of the n-th transit: the true anomaly is 90 degrees minus the argument of pericentre.
double exact_transit_time(double n) {
  double const f = (90.0 - 50.0) * circle_constant / 180.0, e = 0.3;
  double const E = 2.0 * std::atan(std::sqrt((1.0 - e) / (1.0 + e)) * std::tan(0.5 * f));
  return E - e * std::sin(E) - 10.0 * circle_constant / 180.0 + 2.0 * circle_constant * n;
}

}  // namespace

TEST_CASE("transits: times of a Kepler orbit are exact for any step") {
  for (double const dt : {2.0 * circle_constant / 20.0, 2.0 * circle_constant / 64.0}) {
    CAPTURE(dt);
    RunFiles files("kepler");
    auto const steps = static_cast<std::uint64_t>(std::ceil(4.5 * 2.0 * circle_constant / dt));
    files.start(transit_deck(dt, steps, "wisdom_holman"), {});
    auto const rows = transit_rows(files);
    REQUIRE(rows.size() == 5);
    double const r = 0.91 / (1.0 + 0.3 * std::cos(40.0 * circle_constant / 180.0));
    for (std::size_t n = 0; n < rows.size(); ++n) {
      REQUIRE(rows[n].size() == 7);
      CHECK(std::stod(rows[n][1]) ==
            approximately(exact_transit_time(static_cast<double>(n)), 1e-12));
      CHECK(rows[n][2] == "1");
      CHECK(rows[n][3] == std::to_string(n));
      CHECK(std::abs(std::stod(rows[n][4])) < 1e-12);
      // Tangential speed h / r.
      CHECK(std::stod(rows[n][5]) == approximately(std::sqrt(0.91) / r, 1e-11));
      CHECK(rows[n][6] == "b");
    }
  }
}

TEST_CASE("transits: a run backwards in time finds those before") {
  RunFiles files("backwards");
  files.start(transit_deck(-2.0 * circle_constant / 40.0, 100, "wisdom_holman"), {});
  auto const rows = transit_rows(files);
  REQUIRE(rows.size() == 2);
  CHECK(std::stod(rows[0][1]) == approximately(exact_transit_time(-1.0), 1e-12));
  CHECK(std::stod(rows[1][1]) == approximately(exact_transit_time(-2.0), 1e-12));
}

TEST_CASE("transits: times of perturbed planets do not depend on the step") {
  RunFiles coarse("coarse"), fine("fine");
  coarse.start(resonant_deck(0.4, 160), {});
  fine.start(resonant_deck(0.05, 1280), {});
  auto const a = transit_rows(coarse), b = transit_rows(fine);
  REQUIRE(a.size() == 10);
  REQUIRE(b.size() == a.size());
  double largest_variation = 0.0;
  double const first = std::stod(a[0][1]), last = std::stod(a[9][1]);
  for (std::size_t n = 0; n < a.size(); ++n) {
    double const time = std::stod(a[n][1]);
    CHECK(std::abs(time - std::stod(b[n][1])) < 1e-10);
    double const linear = first + (last - first) * static_cast<double>(n) / 9.0;
    largest_variation = std::max(largest_variation, std::abs(time - linear));
  }
  CHECK(largest_variation > 1e-4);
}

TEST_CASE("transits: a resumed run has the same table") {
  RunFiles whole("whole"), parts("parts");
  whole.start(resonant_deck(0.4, 100), {});
  parts.start(resonant_deck(0.4, 41), {});
  parts.resume(resonant_deck(0.4, 100), {}, run::DeckChange::refuse);
  CHECK(transit_rows(whole) == transit_rows(parts));
  CHECK(transit_rows(whole).size() > 4);
}

TEST_CASE("transits: wrong keys are refused") {
  auto const error = [](std::vector<std::string> const& overrides) -> std::string {
    try {
      simulation::make_bodies(
          testing::configured(transit_deck(0.1, 1, "wisdom_holman"), overrides));
    } catch (Error const& problem) {
      return problem.what();
    }
    return "";
  };
  CHECK(error({}) == "");
  CHECK(contains(error({"diagnostics.transits.observer=[0,0,0]"}), "no direction"));
  CHECK(contains(error({"diagnostics.transits.primary=stir"}),
                 "diagnostics.transits.primary: no body has the name 'stir' (names: 'star', 'b'); "
                 "did you mean 'star'?"));
  CHECK(contains(error({"diagnostics.transits.interval=1"}), "unknown key"));
}
