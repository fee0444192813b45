// SPDX-License-Identifier: Apache-2.0
#include "support/executable/commands.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

using namespace apsis::testing;
using nlohmann::json;

namespace {

/// A star with planets on orbits that cross, and massless bodies, of which one leaves.
std::string const crossing = R"({
  "bodies": {"list": [
    {"mass": 1, "radius": 0.05, "position": [0, 0, 0]},
    {"mass": 1e-3, "radius": 0.04, "semi_major_axis": 1, "eccentricity": 0.1},
    {"mass": 2e-3, "radius": 0.04, "semi_major_axis": 1.1, "eccentricity": 0.25, "mean_anomaly": 60},
    {"mass": 0, "position": [0, 1.5, 0], "velocity": [0, 3, 0]},
    {"mass": 0, "position": [0, -2, 0], "velocity": [0.7, 0, 0]}]},
  "integrator": {"name": "gauss_radau15", "time_step": 0.5},
  "run": {"end_time": 60},
  "collisions": {"on_collision": "merge"},
  "removal": {"beyond": 30},
  "encounters": {"distance": 0.3},
  "output": {"conservation_interval": 1, "snapshot_interval": 10, "checkpoint_interval": 10},
  "diagnostics": {"trajectories": {"interval": 5}},
  "conservation": {"max_relative_energy_error": 1e-10, "max_momentum_error": 1e-13}
})";

}  // namespace

TEST_CASE(
    "a run with events writes events.csv, judges with the books, and resumes with the same bits") {
  Scratch const scratch;
  scratch.write("deck.json", crossing);
  auto const run = run_apsis("run deck.json --output whole", scratch);
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK(contains(run.out, "1 collisions, 1 bodies merged, 1 removed"));
  auto const events = table(scratch / "whole/events.csv");
  REQUIRE(events.size() > 2);
  CHECK(events[0][0] == "time");
  CHECK(events[0][1] == "kind");
  double energy = 0.0;
  int merged = 0, removed = 0;
  for (std::size_t i = 1; i < events.size(); ++i) {
    if (i > 1) CHECK(std::stod(events[i][0]) >= std::stod(events[i - 1][0]));
    merged += events[i][1] == "merge" ? 1 : 0;
    removed += events[i][1] == "removal" ? 1 : 0;
    energy += std::stod(events[i][8]);
  }
  CHECK(merged == 1);
  CHECK(removed == 1);
  auto const summary = json::parse(content(scratch / "whole/summary.json"));
  CHECK(summary["max_relative_energy_error"] < 1e-10);
  CHECK(summary["events"]["merged"] == 1);
  CHECK(summary["events"]["removed"] == 1);
  CHECK(std::abs(summary["events"]["energy"].get<double>() - energy) <= 1e-15);
  CHECK(contains(content(scratch / "whole/events.csv-metadata.json"), "relative_speed"));

  REQUIRE(run_apsis("run deck.json --output parts --set run.end_time=30", scratch).status == 0);
  auto const resumed = run_apsis("run deck.json --output parts --resume", scratch);
  INFO(resumed.err);
  REQUIRE(resumed.status == 0);
  for (auto const* file : {"events.csv", "trajectories.csv"}) {
    CHECK(content(scratch / "whole" / file) == content(scratch / "parts" / file));
  }
  CHECK(without_wall_seconds(scratch / "whole/conservation.csv") ==
        without_wall_seconds(scratch / "parts/conservation.csv"));
  CHECK(json::parse(content(scratch / "parts/summary.json"))["events"] == summary["events"]);

  // A run from the last snapshot has the radii and no body that is gone.
  REQUIRE(run_apsis("convert whole/snapshot_000006.h5 last.csv", scratch).status == 0);
  auto const last = table(scratch / "last.csv");
  REQUIRE(last.size() == 5);  // units, names of the columns, three bodies
  CHECK(last[1].back() == "radius");
  CHECK(std::abs(std::stod(last[3].back()) - std::cbrt(2.0) * 0.04) < 1e-15);
}

TEST_CASE("a collision or an encounter ends a run if the deck says so") {
  Scratch const scratch;
  scratch.write("deck.json", crossing);
  auto const stopped =
      run_apsis("run deck.json --output stopped --set collisions.on_collision=stop", scratch);
  CHECK(stopped.status == 0);
  CHECK(contains(stopped.out, "stopped          collision: bodies 2 and 1 at 0.08"));
  auto const summary = json::parse(content(scratch / "stopped/summary.json"));
  CHECK(summary["stop_reason"] == "collision");
  CHECK(summary["exit_code"] == 0);
  CHECK(summary["stop"]["time"].get<double>() > summary["time"].get<double>());
  CHECK(summary["stop"]["time"].get<double>() < summary["time"].get<double>() + 0.5);
  CHECK(table(scratch / "stopped/events.csv").back()[1] == "collision");

  auto const met = run_apsis("run deck.json --output met --set encounters.then=stop", scratch);
  CHECK(met.status == 0);
  CHECK(json::parse(content(scratch / "met/summary.json"))["stop_reason"] == "encounter");
}
