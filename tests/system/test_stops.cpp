// SPDX-License-Identifier: Apache-2.0
#include "support/executable/commands.hpp"
#include "support/relative.hpp"

#include <nlohmann/json.hpp>

#include <chrono>

using namespace apsis::testing;
using nlohmann::json;

TEST_CASE("a non-finite state stops the run at once and names body and step") {
  Scratch const scratch;
  scratch.write("deck.json", R"({
    "bodies": {"list": [{"mass": 1, "position": [0, 0, 0]},
                        {"mass": 1, "position": [1, 0, 0], "velocity": [1e38, 0, 0]}]},
    "gravity": {"precision": "single", "softening": 0.1},
    "integrator": {"time_step": 10.0}, "run": {"steps": 1000000},
    "output": {"conservation_interval": 10000000}})");
  auto const run = run_apsis("run deck.json", scratch);
  check_errors(run, 70);
  CHECK(contains(run.err, "body 1 (id 1): not finite after step 1"));
  auto const summary = json::parse(content(scratch / "deck.run/summary.json"));
  CHECK(summary["status"] == "non_finite");
  CHECK(summary["stop_reason"] == "non_finite");
  CHECK(summary["exit_code"] == 70);
  CHECK(table(scratch / "deck.run/conservation.csv").size() == 2);  // the log has no row of it

  // Finite bodies with an energy beyond double.
  scratch.write("energy.json", R"({
    "bodies": {"list": [{"mass": 1, "position": [0, 0, 0]},
                        {"mass": 1, "position": [1, 0, 0], "velocity": [1e200, 0, 0]}]},
    "integrator": {"time_step": 1.0}, "run": {"steps": 10}})");
  auto const energy = run_apsis("run energy.json", scratch);
  check_errors(energy, 70);
  CHECK(contains(energy.err, "body 1 (id 1): not finite after step 0"));
}

TEST_CASE("a collision that no step resolves ends the run with a reason and a summary") {
  Scratch const scratch;
  scratch.write("deck.json", R"({
    "bodies": {"list": [{"mass": 0.5, "position": [1, 0, 0]},
                        {"mass": 0.5, "position": [-1, 0, 0]}]},
    "gravity": {"softening": 0},
    "integrator": {"name": "hermite4", "time_step": 0.0625, "stepping": {"mode": "adaptive"}},
    "run": {"steps": 100}, "output": {"conservation_interval": 0.25}})");
  auto const run = run_apsis("run deck.json", scratch);
  check_errors(run, 70);
  CHECK(contains(run.err, "integrator: stopped after step 50 at time 3.125 by a collision: "));
  CHECK(contains(run.out, "stopped          collision"));
  auto const summary = json::parse(content(scratch / "deck.run/summary.json"));
  CHECK(summary["status"] == "collision");
  CHECK(summary["stop_reason"] == "collision");
  CHECK(summary["exit_code"] == 70);
  CHECK(summary["steps"] == 50);
  // The bodies meet at t = pi.
  CHECK(contains(run.err, " by a collision: bodies 0 and 1 are "));
  CHECK_FALSE(contains(run.err, "double"));
  CHECK(summary["stop"]["body"] == 0);
  CHECK(summary["stop"]["other_body"] == 1);
  CHECK(summary["stop"]["distance"] < 1e-6);
  CHECK(std::abs(summary["stop"]["time"].get<double>() - 3.14159265) < 1e-5);
  // The state of step 50 is in the log, in a snapshot and in a checkpoint, which leads to the same
  // end.
  auto const log = table(scratch / "deck.run/conservation.csv");
  REQUIRE(log.size() == 15);
  CHECK(log.back()[0] == "50");
  CHECK(summary["checkpoint_step"] == 50);
  CHECK(run_apsis("convert deck.run/snapshot_000000.h5 state.csv", scratch).status == 0);
  auto const again = run_apsis("run deck.run --resume", scratch);
  check_errors(again, 70);
  CHECK(contains(again.err, "stopped after step 50 at time 3.125 by a collision: bodies 0 and 1"));
  CHECK(table(scratch / "deck.run/conservation.csv").size() == log.size());
}

TEST_CASE("a collision caused by rounding of coordinates is reported with its remedy") {
  Scratch const scratch;
  // A comet falls from 200 au to 0.005 au, 170 pc from the origin: in double. Separations of more
  // than 64 bodies are differences of rounded coordinates.
  std::string others;
  for (int i = 0; i < 62; ++i) {
    others += R"(, {"mass": 0, "position": [)" + std::to_string(20600300 + i) +
              R"(, 2.06e7, 2.06e7], "velocity": [0, 0.36, 0]})";
  }
  scratch.write("deck.json", R"({
    "units": {"system": "solar"},
    "bodies": {"centre": false, "list": [
      {"mass": 1, "position": [2.06e7, 2.06e7, 2.06e7]},
      {"mass": 1e-3, "position": [20600005.2, 2.06e7, 2.06e7], "velocity": [0, 2.755, 0]},
      {"mass": 0, "position": [20600200, 2.06e7, 2.06e7], "velocity": [0, 0.00314, 0]})" +
                                 others + R"(]},
    "integrator": {"name": "hermite6", "time_step": 0.125, "stepping": {"mode": "adaptive"}},
    "run": {"end_time": 500}, "output": {"conservation_interval": 50}})");
  auto const run = run_apsis("run deck.json", scratch);
  check_errors(run, 70);
  CHECK(contains(run.err, "the coordinates ran out of digits, bodies 0 and 2 are 0.0"));
  CHECK(contains(run.err, "set bodies.centre to true"));
  auto const stop = json::parse(content(scratch / "deck.run/summary.json"))["stop"];
  CHECK(stop["body"] == 0);
  CHECK(stop["other_body"] == 2);
  CHECK(std::abs(stop["time"].get<double>() - 499.74) < 0.1);
  CHECK(run_apsis("run deck.json --force --set bodies.centre=true", scratch).status == 0);
}

TEST_CASE("an encounter within adaptive steps ends the run, however long the deck's step is") {
  Scratch const scratch;
  scratch.write("deck.json", R"({
    "bodies": {"generator": "pythagorean"},
    "integrator": {"name": "hermite6", "time_step": 0.25, "stepping": {"mode": "adaptive"}},
    "run": {"end_time": 20, "encounter_distance": 1e-3},
    "diagnostics": {"pair_distances": {"interval": 4}},
    "conservation": {"max_relative_energy_error": 1e-4}})");
  for (std::string const step : {"0.25", "0.015625"}) {
    CAPTURE(step);
    auto const run = run_apsis("run deck.json --force --set integrator.time_step=" + step, scratch);
    CHECK(run.status == 0);
    auto const summary = json::parse(content(scratch / "deck.run/summary.json"));
    CHECK(summary["stop_reason"] == "encounter");
    CHECK(summary["status"] == "conserved");
    CHECK(std::abs(summary["stop"]["distance"].get<double>() / 4.138e-4 - 1.0) < 0.02);
    CHECK(std::abs(summary["stop"]["time"].get<double>() - 15.82992) < 1e-4);
    CHECK(summary["stop"]["body"].is_number());
    CHECK(summary["stop"]["other_body"].is_number());
    CHECK(std::abs(summary["time"].get<double>() - 15.83) < std::stod(step));
    // The table contains it, in the row of that interval.
    auto const rows = table(scratch / "deck.run/pair_distances.csv");
    CHECK(std::abs(std::stod(rows.back()[2]) / 4.138e-4 - 1.0) < 0.02);
    CHECK(std::stod(rows[rows.size() - 2][2]) > 5e-4);
  }
}

TEST_CASE("massless bodies may start at the same position and never collide with each other") {
  Scratch const scratch;
  // A third body passes the planet within one step.
  scratch.write("deck.json", R"({
    "bodies": {"list": [{"mass": 1, "position": [0, 0, 0]},
      {"mass": 1e-9, "position": [5, 0, 0], "velocity": [0, 0.44721, 0]},
      {"mass": 0, "position": [1, 0, 0], "velocity": [0, 1, 0]},
      {"mass": 0, "position": [1, 0, 0], "velocity": [0, 1.001, 0]},
      {"mass": 0, "position": [5.01, -20, 0], "velocity": [0, 40.44721, 0]}]},
    "integrator": {"time_step": 0.0625}, "run": {"end_time": 1, "encounter_distance": 0.02}})");
  auto const run = run_apsis("run deck.json", scratch);
  CHECK(run.status == 0);
  CHECK_FALSE(contains(run.out, "two bodies begin"));
  auto const summary = json::parse(content(scratch / "deck.run/summary.json"));
  CHECK(summary["stop_reason"] == "encounter");
  CHECK(summary["stop"]["body"] == 1);
  CHECK(summary["stop"]["other_body"] == 4);
  // 0.01 at first; the star moves the planet by 0.005 meanwhile, the other body hardly moves.
  CHECK(std::abs(summary["stop"]["distance"].get<double>() - 0.0145) < 1e-3);
  CHECK(std::abs(summary["stop"]["time"].get<double>() - 0.5) < 2e-3);
}

TEST_CASE(
    "a massless body beyond the resolution of the steps is named, and its run is not judged") {
  Scratch const scratch;
  auto const summary = [&] { return json::parse(content(scratch / "deck.run/summary.json")); };
  scratch.write("deck.json", R"({
    "units": {"system": "solar"},
    "bodies": {"list": [{"mass": 1, "position": [0, 0, 0]},
      {"mass": 1e-3, "position": [5.2, 0, 0], "velocity": [0, 2.755, 0]},
      {"mass": 0, "position": [1, 0, 0], "velocity": [0, 0.3, 0]}]},
    "integrator": {"name": "leapfrog_kdk", "time_step": 0.01}, "run": {"end_time": 2}})");
  auto const free = run_apsis("run deck.json", scratch);
  CHECK(free.status == 0);
  CHECK(contains(free.out, "body 2 passed body 0 at "));
  CHECK(summary()["status"] == "not_judged");
  CHECK(contains(summary()["remark"].get<std::string>(), "body 2 passed body 0 at "));
  auto const passage = summary()["coarsest_passage"];
  CHECK(passage["body"] == 2);
  CHECK(passage["massive_body"] == 0);
  CHECK(passage["resolved"] == false);
  CHECK(passage["measure"] > passage["limit"]);
  CHECK(passage["distance"] < 0.01);
  CHECK(std::abs(passage["time"].get<double>() - 0.178) < 0.02);  // half a period of a = 1/2
  CHECK(contains(run_apsis("run deck.json --force --quiet", scratch).err, "body 2 passed body 0"));

  auto const judged =
      run_apsis("run deck.json --force --set conservation.max_relative_energy_error=1e-6", scratch);
  check_errors(judged, 1);
  CHECK(contains(judged.err, "body 2 passed body 0 at "));
  CHECK_FALSE(contains(judged.out, "within the limit"));
  CHECK(summary()["status"] == "not_conserved");

  // The system again, with steps that resolve the passage.
  auto const fine = run_apsis(
      "run deck.json --force --set conservation.max_relative_energy_error=1e-6 --set "
      "integrator='{\"name\":\"hermite4\",\"time_step\":0.01,\"stepping\":{\"mode\":\"adaptive\"}}"
      "'",
      scratch);
  CHECK(fine.status == 0);
  CHECK(summary()["coarsest_passage"]["resolved"] == true);
  CHECK(summary()["status"] == "not_judged");
}

TEST_CASE("a body beyond the escape radius ends the run normally") {
  Scratch const scratch;
  scratch.write("deck.json", R"({
    "bodies": {"list": [{"mass": 1, "position": [0, 0, 0]},
                        {"mass": 1e-9, "position": [0, 1, 0], "velocity": [3, 0, 0]}]},
    "gravity": {"G": 1e-9}, "integrator": {"time_step": 0.125},
    "run": {"end_time": 100, "escape_radius": 5},
    "output": {"conservation_interval": 50},
    "conservation": {"max_momentum_error": 1e-6}})");
  auto const run = run_apsis("run deck.json", scratch);
  CHECK(run.status == 0);
  CHECK(run.err == "");
  // x = 3 t, y = 1: beyond 5 for the first time at t = 1.75.
  CHECK(contains(run.out, "stopped          escape: body 1 at 5.344"));
  auto const summary = json::parse(content(scratch / "deck.run/summary.json"));
  CHECK(summary["stop_reason"] == "escape");
  CHECK(summary["status"] == "conserved");
  CHECK(summary["stop"]["body"] == 1);
  CHECK(summary["stop"]["time"] == 1.75);
  CHECK(summary["time"] == 1.75);
  CHECK(summary["steps"] == 14);
  CHECK(summary["stop"]["distance"] == approximately(std::hypot(5.25, 1.0), 1e-6));
  auto const rows = table(scratch / "deck.run/conservation.csv");
  REQUIRE(rows.size() == 3);
  CHECK(rows[2][0] == "14");
  CHECK(run_apsis("run deck.json --force --set run.escape_radius=500", scratch).status == 0);
  CHECK(json::parse(content(scratch / "deck.run/summary.json"))["stop_reason"] == "end");
  CHECK_FALSE(json::parse(content(scratch / "deck.run/summary.json")).contains("stop"));
}

TEST_CASE("a close encounter of two bodies ends the run normally") {
  Scratch const scratch;
  scratch.write("deck.json", R"({
    "bodies": {"generator": "pythagorean"}, "integrator": {"name": "hermite4", "time_step": 0.0009765625,
    "stepping": {"mode": "adaptive"}}, "run": {"end_time": 20, "encounter_distance": 0.02},
    "output": {"conservation_interval": 1}, "conservation": {"max_relative_energy_error": 1e-4}})");
  auto const run = run_apsis("run deck.json", scratch);
  CHECK(run.status == 0);
  // The masses 4 and 5 have the first encounter, at t = 1.88.
  CHECK(contains(run.out, "stopped          encounter: bodies 1 and 2 at 0.0"));
  auto const summary = json::parse(content(scratch / "deck.run/summary.json"));
  CHECK(summary["stop_reason"] == "encounter");
  CHECK(summary["stop"]["body"] == 1);
  CHECK(summary["stop"]["other_body"] == 2);
  CHECK(summary["stop"]["time"] == approximately(1.88, 0.01));
  CHECK(summary["stop"]["distance"] < 0.02);
}

TEST_CASE("the wall-time limit and a stop file end a run with status 75 and a checkpoint") {
  Scratch const scratch;
  scratch.write("deck.json", small);
  std::string const endless =
      "run deck.json --force --set run.steps=1000000000 --set output.conservation_interval=1e4 ";
  auto const summary = [&] { return json::parse(content(scratch / "deck.run/summary.json")); };
  // The limit is for the whole process, which includes the start of a device.
  auto const begin = std::chrono::steady_clock::now();
  CHECK(run_apsis("run deck.json --force --set run.steps=1", scratch).status == 0);
  std::chrono::duration<double> const awake = std::chrono::steady_clock::now() - begin;
  double const limit = 0.2 + 3.0 * awake.count();
  std::string const limited = endless + "--set run.max_wall_time=" + std::to_string(limit);
  auto const clock = run_apsis(limited, scratch);
  check_errors(clock, 75);
  CHECK(contains(clock.err, "run.max_wall_time: stopped after step "));
  CHECK(contains(clock.out, "stopped          wall_time"));
  CHECK(summary()["stop_reason"] == "wall_time");
  CHECK(summary()["status"] == "stopped");
  CHECK(summary()["exit_code"] == 75);
  CHECK(summary()["steps"] > 10);
  // The run stops early enough to finish within the limit, but not before half of it.
  CHECK(summary()["wall_seconds"] >= limit / 2.0);
  CHECK(summary()["wall_seconds"] < limit + 1.8);
  CHECK(summary()["checkpoint_step"] == summary()["steps"]);
  // The last line of the log is at the stop.
  auto rows = table(scratch / "deck.run/conservation.csv");
  REQUIRE(rows.size() == 3);
  CHECK(rows[2][0] == std::to_string(summary()["steps"].get<int>()));
  CHECK(std::stod(rows[2][1]) == summary()["time"]);

  // A conservation limit exceeded before the stop is judged at the final end only.
  auto const broken =
      run_apsis(limited + " --set conservation.max_relative_energy_error=1e-15", scratch);
  check_errors(broken, 75);
  CHECK(summary()["status"] == "stopped");

  // A relative name is relative to the run's directory, an absolute one is used as given.
  scratch.write("deck.run/STOP", "");
  auto const file = run_apsis(endless + "--set run.stop_file=STOP", scratch);
  check_errors(file, 75);
  CHECK(contains(file.err, "deck.run/STOP"));
  CHECK(summary()["stop_reason"] == "stop_file");
  CHECK(summary()["steps"] == 0);
  scratch.write("halt", "");
  CHECK(run_apsis(endless + "--set run.stop_file='" + (scratch / "halt").string() + "'", scratch)
            .status == 75);
  // The file appears while the run is in progress.
  std::filesystem::remove(scratch / "halt");
  std::filesystem::remove_all(scratch / "deck.run");
  // (Its log has a line for the start as soon as it runs, however long a device takes to start.)
  std::string const later =
      "cd '" + (scratch / ".").string() +
      "' && (for i in $(seq 600); do sleep 0.1; "
      "[ \"$(cat deck.run/conservation.csv 2>/dev/null | wc -l)\" -ge 2 ] && break; "
      "done; sleep " +
      std::to_string(std::max(0.3, 3.0 * awake.count())) + "; : >halt) & ";
  REQUIRE(std::system(later.c_str()) == 0);
  CHECK(run_apsis(endless + "--set run.stop_file=../halt", scratch).status == 75);
  CHECK(summary()["steps"] > 10);
  // Neither stops a finished run.
  scratch.write("deck.run/STOP", "");
  CHECK(run_apsis("run deck.json --force --set run.steps=0 --set run.stop_file=STOP", scratch)
            .status == 0);
  CHECK(summary()["stop_reason"] == "end");
}
