// SPDX-License-Identifier: Apache-2.0
#include "support/executable/commands.hpp"
#include "support/relative.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace apsis::testing;
using nlohmann::json;

TEST_CASE("a run leaves the three files that tools rely on") {
  Scratch const scratch;
  scratch.write("deck.json", small);
  auto const run = run_apsis("run deck.json", scratch);
  CHECK(run.status == 0);
  CHECK(run.err == "");
  CHECK(contains(run.out, "a small run"));
  CHECK(contains(run.out, "conserved"));

  auto const rows = table(scratch / "deck.run/conservation.csv");
  REQUIRE(rows.size() == 6);  // the header, steps 0, 5, 10, 15 and 20
  std::string header;
  for (auto const& name : rows[0]) header += (header.empty() ? "" : ",") + name;
  CHECK(header ==
        "step,time,kinetic,potential,total,relative_energy_error,momentum_x,momentum_y,momentum_z,"
        "angular_momentum_x,angular_momentum_y,angular_momentum_z,center_of_mass_x,"
        "center_of_mass_y,center_of_mass_z,virial_ratio,wall_seconds,internal_kinetic,"
        "internal_energy,energy_scale");
  CHECK(rows[2][0] == "5");
  CHECK(rows[2][1] == "0.05");
  CHECK(rows[5][0] == "20");

  auto const summary = json::parse(content(scratch / "deck.run/summary.json"));
  for (auto const* key :
       {"status", "exit_code", "steps", "time", "bodies", "backend", "device", "precision",
        "initial_energy", "final_energy", "max_relative_energy_error", "max_momentum_error",
        "interactions", "wall_seconds", "interactions_per_second", "git", "kokkos"}) {
    CAPTURE(key);
    CHECK(summary.contains(key));
  }
  CHECK(summary["status"] == "conserved");
  CHECK(summary["exit_code"] == 0);
  CHECK(summary["steps"] == 20);
  CHECK(summary["bodies"] == 100);
  CHECK(summary["backend"] == APSIS_TEST_BACKEND);
  CHECK(summary["interactions"] == 21 * 100 * 100);
  CHECK(summary["stop_reason"] == "end");
  CHECK(summary["initial_energy"] == std::stod(rows[1][4]));
  CHECK(summary["final_energy"] == std::stod(rows[5][4]));
  // Reference of the error: frame, measure and value.
  CHECK(summary["energy_frame"] == "centre of mass");
  CHECK(summary["energy_measure"] == "internal energy");
  CHECK(summary["initial_internal_energy"] == std::stod(rows[1][18]));
  CHECK(summary["final_internal_energy"] == std::stod(rows[5][18]));
  CHECK(summary["energy_scale"] == std::stod(rows[1][19]));
  CHECK(contains(run.out, "measured by    |E0| in the centre-of-mass frame"));
  double worst = 0.0;
  for (std::size_t i = 1; i < rows.size(); ++i) worst = std::max(worst, std::stod(rows[i][5]));
  CHECK(summary["max_relative_energy_error"] == worst);
  CHECK(worst > 0.0);

  // The resolved deck reproduces the run to the last bit.
  auto const again = run_apsis("run deck.run/deck.resolved.json --output again", scratch);
  CHECK(again.status == 0);
  CHECK(without_wall_seconds(scratch / "again/conservation.csv") ==
        without_wall_seconds(scratch / "deck.run/conservation.csv"));
}

TEST_CASE("the parts of the wall time add up to it, also in a resumed run") {
  Scratch const scratch;
  scratch.write("deck.json", R"({"bodies": {"generator": "plummer", "count": 3000},
    "gravity": {"softening": 0.05}, "integrator": {"time_step": 0.001}, "run": {"steps": 20},
    "output": {"snapshot_interval": 0.01, "checkpoint_interval": 0.01},
    "diagnostics": {"lagrangian_radii": {"interval": 0.01}}})");
  auto const check_parts = [&] {
    auto const summary = json::parse(content(scratch / "deck.run/summary.json"));
    double sum = 0.0;
    for (auto const& [part, seconds] : summary["seconds"].items()) {
      CAPTURE(part);
      CHECK(seconds.get<double>() >= 0.0);
      sum += seconds.get<double>();
    }
    CHECK(sum == approximately(summary["wall_seconds"].get<double>(), 1e-9));
    return summary["seconds"];
  };
  // fmm that sums over all pairs, and softening by species, call another solver.
  for (auto const* solver :
       {"--set gravity.solver=auto",
        "--set gravity.softening_by_species.dark=0.1 --set bodies.count=500"}) {
    CAPTURE(solver);
    REQUIRE(run_apsis(std::string("run deck.json --force ") + solver, scratch).status == 0);
    check_parts();
  }
  REQUIRE(run_apsis("run deck.json --force", scratch).status == 0);
  auto const first = check_parts();
  for (auto const* part :
       {"forces", "kicks_and_drifts", "device", "diagnostics", "copies", "files", "other"}) {
    CAPTURE(part);
    CHECK(first[part].get<double>() > 0.0);
  }
  CHECK_FALSE(first.contains("before_resume"));
  REQUIRE(run_apsis("run deck.json --resume --set run.steps=40", scratch).status == 0);
  CHECK(check_parts()["before_resume"].get<double>() > 0.0);
}

TEST_CASE("units appear in the summary, beside the log and on the terminal") {
  Scratch const scratch;
  scratch.write("deck.json", small);
  auto const run_in_units = [&](std::string const& units) {
    return run_apsis(
        "run deck.json --force --set conservation=null --set bodies.mass=1 --set "
        "bodies.scale_radius=0.589 --set units=" +
            units,
        scratch);
  };
  auto const summary = [&] { return json::parse(content(scratch / "deck.run/summary.json")); };
  auto const metadata = [&] {
    return json::parse(content(scratch / "deck.run/conservation.csv-metadata.json"));
  };
  auto const pc = run_in_units("'{\"system\": \"astrophysical\"}'");
  CHECK(pc.status == 0);
  CHECK(contains(pc.out, "t = 0.2 Myr, "));
  CHECK(contains(pc.out, "total mass 1 Msun, of each body "));
  CHECK(contains(pc.out, " Myr, half-mass relaxation time "));
  CHECK(contains(pc.out, " Msun pc^2 Myr^-2\n"));
  CHECK(contains(pc.out, " Msun pc Myr^-1  (not judged"));
  CHECK(summary()["units"]["system"] == "astrophysical");
  CHECK(summary()["units"]["length"] == "pc");
  CHECK(summary()["units"]["velocity"] == "pc Myr^-1");
  CHECK(summary()["units"]["velocity_in_km_s"] == approximately(0.977792, 1e-6));
  CHECK(summary()["units"]["G"] == approximately(0.0044985, 1e-5));
  CHECK(summary()["units"]["si"]["time"] == 1e6 * 365.25 * 86400);

  auto const described = metadata();
  CHECK(described["@context"] == "http://www.w3.org/ns/csvw");
  CHECK(described["url"] == "conservation.csv");
  CHECK(contains(described["dc:description"].get<std::string>(),
                 "astrophysical: pc, Msun, Myr, G = 0.00"));
  auto const header = table(scratch / "deck.run/conservation.csv")[0];
  auto const& columns = described["tableSchema"]["columns"];
  REQUIRE(columns.size() == header.size());
  for (std::size_t i = 0; i < header.size(); ++i) {
    CHECK(columns[i]["name"] == header[i]);
    CHECK(!columns[i]["dc:description"].get<std::string>().empty());
    CHECK(columns[i]["datatype"] == (header[i] == "step" ? "integer" : "double"));
  }
  CHECK_FALSE(columns[5].contains("schema:unitText"));
  CHECK(columns[1]["schema:unitText"] == "Myr");
  CHECK(columns[2]["schema:unitText"] == "Msun pc^2 Myr^-2");
  CHECK(columns[9]["schema:unitText"] == "Msun pc^2 Myr^-1");
  CHECK(columns[12]["schema:unitText"] == "pc");
  CHECK(columns[16]["schema:unitText"] == "s");

  // G follows from the units, and the dynamics follows from G.
  CHECK(run_in_units("'{\"length\": 1.0, \"mass\": 1.0, \"time\": 1.0}'").status == 0);
  CHECK(summary()["units"]["velocity"] == "m s^-1");
  CHECK(summary()["units"]["G"] == 6.6743e-11);
  auto const potential = [&] {
    return std::stod(table(scratch / "deck.run/conservation.csv")[1][3]);
  };
  double const weak = potential();
  CHECK(run_in_units("null").status == 0);
  CHECK(summary()["units"]["system"] == "henon");
  CHECK_FALSE(summary()["units"].contains("si"));
  CHECK(weak / potential() == approximately(6.6743e-11));
  CHECK(metadata()["tableSchema"]["columns"][1]["schema:unitText"] == "time");
}

TEST_CASE("control characters in a deck do not reach the terminal") {
  Scratch const scratch;
  scratch.write("deck.json", small);
  std::string const title = R"( --set 'title="\u001b[2J\u009b31mred\r\nline\u202e"' )";
  for (auto const* command : {"run deck.json", "check deck.json", "run deck.json --force"}) {
    auto const result = run_apsis(command + title, scratch);
    CHECK(result.status == 0);
    for (auto const* raw : {"\x1b", "\u009b", "\r", "\u202e"}) {
      CHECK_FALSE(contains(result.out + result.err, raw));
    }
  }
}

TEST_CASE("limits decide between status 0 and 1") {
  Scratch const scratch;
  scratch.write("deck.json", small);
  auto const energy =
      run_apsis("run deck.json --set conservation.max_relative_energy_error=1e-15", scratch);
  check_errors(energy, 1);
  CHECK(contains(energy.err, "conservation.max_relative_energy_error"));
  auto const summary = json::parse(content(scratch / "deck.run/summary.json"));
  CHECK(summary["status"] == "not_conserved");
  CHECK(summary["exit_code"] == 1);
  CHECK(summary["steps"] == 20);
  auto const momentum = run_apsis(
      "run deck.json --force --set conservation.max_momentum_error=0 --set "
      "gravity.precision=single",
      scratch);
  check_errors(momentum, 1);
  CHECK(contains(momentum.err, "conservation.max_momentum_error"));
}

TEST_CASE("without a limit no quantity is called conserved") {
  Scratch const scratch;
  scratch.write("deck.json", small);
  CHECK(run_apsis("run deck.json --set conservation=null", scratch).status == 0);
  auto const summary = json::parse(content(scratch / "deck.run/summary.json"));
  CHECK(summary["status"] == "not_judged");
  CHECK(summary["max_relative_energy_error_limit"].is_null());
}

TEST_CASE("a run without limits warns if its energy error is large") {
  Scratch const scratch;
  auto const deck = content(inputs() / "validation/pythagorean_must_fail.json");
  scratch.write("deck.json", deck);
  auto const wrong = run_apsis("run deck.json --set conservation=null", scratch);
  CHECK(wrong.status == 0);
  CHECK(
      contains(wrong.out, "status           not_judged\nnote             the energy changed by "));
  CHECK(contains(wrong.out, "%: the results of this run are not reliable"));
  auto const remark = json::parse(content(scratch / "deck.run/summary.json"))["remark"];
  CHECK(contains(remark.get<std::string>(), "the results of this run are not reliable"));
  auto const quiet = run_apsis("run deck.json --set conservation=null --force --quiet", scratch);
  CHECK(quiet.out == "");
  CHECK(contains(quiet.err, "apsis: warning: deck.run: the energy changed by "));
  // Not where the energy is what is left of two that cancel; within a wide limit it is said as
  // well.
  scratch.write("parabola.json", R"({"bodies": {"generator": "composite", "parts": [
      {"bodies": {"list": [{"mass": 1, "position": [0, 0, 0]}]}},
      {"bodies": {"list": [{"mass": 1, "position": [0, 0, 0]}]}, "orbit": {"pericentre": 1, "separation": 10}}]},
    "integrator": {"name": "leapfrog_kdk", "time_step": 0.01}, "run": {"steps": 1000}})");
  auto const parabola = run_apsis("run parabola.json", scratch);
  CHECK(parabola.status == 0);
  CHECK_FALSE(contains(parabola.out, "not reliable"));
  auto const judged = run_apsis(
      "run deck.json --force --set conservation=null --set "
      "conservation.max_relative_energy_error=1e9",
      scratch);
  CHECK(judged.status == 0);
  CHECK(contains(judged.out, " %, within the limit of the deck: the results of this run are not"));
  scratch.write("good.json", small);
  auto const right = run_apsis("run good.json --set conservation=null", scratch);
  CHECK_FALSE(contains(right.out, "not reliable"));
  CHECK(contains(right.out, "units henon: G = 1\n"));
}

TEST_CASE(
    "massless bodies are judged by their own energies or not at all, and never called conserved") {
  Scratch const scratch;
  auto const deck = [&](std::string const& more) {
    scratch.write("deck.json", R"({
      "bodies": {"list": [{"mass": 1, "position": [0, 0, 0], "velocity": [0, 0, 0]}, )" +
                                   more + R"(
                          {"mass": 0, "position": [1, 0, 0], "velocity": [0, 1, 0]}]},
      "integrator": {"name": "leapfrog_kdk", "time_step": 0.5}, "run": {"steps": 100},
      "conservation": {"max_relative_energy_error": 1e-6, "max_momentum_error": 1e-3}})");
  };
  auto const summary = [&] { return json::parse(content(scratch / "deck.run/summary.json")); };
  deck("");
  CHECK(run_apsis("run deck.json", scratch).status == 1);
  CHECK(summary()["status"] == "not_conserved");
  CHECK(summary()["massless_bodies"] == 1);
  CHECK(run_apsis("run deck.json --force --set integrator.time_step=0.0005", scratch).status == 0);
  CHECK(summary()["status"] == "conserved");
  CHECK(summary()["massless_bodies_judged"] == true);
  auto const momentum =
      run_apsis("run deck.json --force --set conservation.max_relative_energy_error=null", scratch);
  CHECK(momentum.status == 0);
  CHECK(summary()["status"] == "not_judged");
  // Two masses at rest far apart: the field changes only slightly.
  deck(R"({"mass": 1e-9, "position": [100, 0, 0], "velocity": [0, 0, 0]}, )");
  auto const changing = run_apsis("run deck.json --force", scratch);
  CHECK(changing.status == 0);
  CHECK(contains(changing.out, "massless         1, not judged"));
  CHECK(summary()["status"] == "not_judged");
  CHECK(summary()["massless_bodies_judged"] == false);
}

TEST_CASE("overrides reach the run and its resolved deck") {
  Scratch const scratch;
  scratch.write("deck.json", small);
  auto const run = run_apsis(
      "run deck.json --set gravity.softening=0.06 --set bodies.count=50 "
      "--set gravity.precision=single --set conservation.max_momentum_error=1",
      scratch);
  CHECK(run.status == 0);
  auto const deck = json::parse(content(scratch / "deck.run/deck.resolved.json"));
  CHECK(deck["gravity"]["softening"] == 0.06);
  CHECK(deck["gravity"]["G"] == 1.0);
  CHECK(deck["units"]["system"] == "henon");
  CHECK(deck["gravity"]["solver"] == "direct");
  CHECK(deck["bodies"]["count"] == 50);
  CHECK(deck["bodies"]["seed"] == 3);
  CHECK(json::parse(content(scratch / "deck.run/summary.json"))["precision"] == "single");
}

TEST_CASE("any number of bodies runs, zero included") {
  Scratch const scratch;
  scratch.write("deck.json", small);
  for (int const count : {0, 1, 2, 3, 255, 256, 257}) {
    CAPTURE(count);
    auto const run = run_apsis(
        "run deck.json --force --quiet --set bodies.count=" + std::to_string(count), scratch);
    CHECK(run.status == 0);
    CHECK(run.out == "");
    CHECK(run.err == "");
    CHECK(json::parse(content(scratch / "deck.run/summary.json"))["bodies"] == count);
  }
  CHECK(run_apsis("run deck.json --force --set run.steps=0", scratch).status == 0);
  CHECK(table(scratch / "deck.run/conservation.csv").size() == 2);
}

TEST_CASE("progress is rewritten on a terminal, plain in a pipe and absent when quiet") {
  Scratch const scratch;
  scratch.write("deck.json", small);
  auto const terminal = run_apsis_on_terminal("run deck.json", scratch, 120);
  CHECK(terminal.status == 0);
  CHECK(contains(terminal.out, "\r"));
  CHECK(contains(terminal.out, "step 20/20"));
  CHECK(contains(terminal.out, "100.0%"));
  CHECK(contains(terminal.out, "interactions/s"));
  CHECK(contains(terminal.out, "left"));
  auto const pipe = run_apsis("run deck.json --force", scratch);
  CHECK_FALSE(contains(pipe.out, "\r"));
  CHECK_FALSE(contains(pipe.out, "\033"));
  CHECK(contains(pipe.out, "step 20/20"));
  auto const quiet = run_apsis("run deck.json --force --quiet", scratch);
  CHECK(quiet.out == "");
  CHECK(quiet.err == "");
}
