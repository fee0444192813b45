// SPDX-License-Identifier: Apache-2.0
#include "support/executable/commands.hpp"
#include "support/json_schema.hpp"
#include "support/relative.hpp"

#include <cmath>
#include <set>

using namespace apsis::testing;
using nlohmann::json;

namespace {

std::string const plummer = R"({
  "bodies": {"generator": "plummer", "count": 1500, "henon_units": true},
  "gravity": {"softening": 0.01},
  "integrator": {"name": "leapfrog_kdk", "time_step": 0.001953125},
  "run": {"steps": 16},
  "output": {"conservation_interval": 0.015625},
  "diagnostics": {
    "lagrangian_radii": {"fractions": [0.1, 0.5, 0.9]},
    "structure": {"interval": 0.0078125},
    "pair_distances": {},
    "force_error_sample": {"interval": 0.03125, "bodies": 40},
    "potential_error_sample": {"interval": 0.03125, "bodies": 40}
  }
})";

std::vector<std::string> const table_files{"lagrangian_radii.csv", "structure.csv",
                                           "pair_distances.csv", "force_errors.csv",
                                           "potential_errors.csv"};

std::string first_line(std::filesystem::path const& csv) {
  auto const text = content(csv);
  return text.substr(0, text.find('\n'));
}

/// Returns a column of a table by name.
std::vector<double> column(std::filesystem::path const& csv, std::string const& name) {
  auto const rows = table(csv);
  std::vector<double> values;
  for (std::size_t column_index = 0; column_index < rows.at(0).size(); ++column_index) {
    if (rows[0][column_index] != name) continue;
    for (std::size_t i = 1; i < rows.size(); ++i)
      values.push_back(std::stod(rows[i].at(column_index)));
  }
  REQUIRE(!values.empty());
  return values;
}

}  // namespace

TEST_CASE("bodies requested by an unknown id are refused before the run begins") {
  Scratch const scratch;
  scratch.write("deck.json", small);
  for (auto const* wrong :
       {"diagnostics.orbital_elements.bodies=[100]", "diagnostics.orbital_elements.primary=100",
        "diagnostics.trajectories.bodies=[0,100]",
        "output.render='[{\"interval\": 0.05, \"body\": 100}]'"}) {
    CAPTURE(wrong);
    for (auto const* command : {"check", "run"}) {
      auto const refused = run_apsis(std::string(command) + " deck.json --set " + wrong, scratch);
      check_errors(refused, 65);
      CHECK(contains(refused.err, "no body has the id 100"));
    }
    CHECK_FALSE(std::filesystem::exists(scratch / "deck.run/deck.resolved.json"));
  }
}

TEST_CASE("the diagnostics of a Plummer sphere have the expected values") {
  Scratch const scratch;
  scratch.write("deck.json", plummer);
  auto const run = run_apsis("run deck.json --output out", scratch);
  CHECK(run.err == "");
  REQUIRE(run.status == 0);
  auto const out = scratch / "out";

  CHECK(first_line(out / "lagrangian_radii.csv") ==
        "step,time,center_x,center_y,center_z,r_0.1,r_0.5,r_0.9");
  CHECK(column(out / "lagrangian_radii.csv", "step") == std::vector<double>{0, 8, 16});
  CHECK(column(out / "lagrangian_radii.csv", "time") ==
        std::vector<double>{0.0, 0.015625, 0.03125});
  // The radii of 1500 bodies are accurate to a few percent.
  for (double const r : column(out / "lagrangian_radii.csv", "r_0.1")) {
    CHECK(r == approximately(0.308678, 0.08));
  }
  for (double const r : column(out / "lagrangian_radii.csv", "r_0.5")) {
    CHECK(r == approximately(0.768571, 0.08));
  }
  for (double const r : column(out / "lagrangian_radii.csv", "r_0.9")) {
    CHECK(r == approximately(2.183670, 0.15));
  }

  CHECK(first_line(out / "structure.csv") ==
        "step,time,half_mass_radius,core_radius,center_x,center_y,center_z,velocity_dispersion,"
        "escapers,escaper_mass");
  CHECK(column(out / "structure.csv", "step") == std::vector<double>{0, 4, 8, 12, 16});
  CHECK(column(out / "structure.csv", "half_mass_radius")[4] ==
        column(out / "lagrangian_radii.csv", "r_0.5")[2]);
  // K = 1/4 exactly at first: sqrt(2 K / 3).
  CHECK(column(out / "structure.csv", "velocity_dispersion")[0] ==
        approximately(std::sqrt(1.0 / 6.0), 1e-12));
  for (double const r : column(out / "structure.csv", "core_radius")) {
    CHECK(r == approximately(std::sqrt(0.3) * 0.589049, 0.2));
  }
  for (double const x : column(out / "structure.csv", "center_y")) CHECK(std::abs(x) < 0.1);
  for (double const n : column(out / "structure.csv", "escapers")) CHECK(n < 15);

  CHECK(first_line(out / "pair_distances.csv") ==
        "step,time,minimum,mean,maximum,closest_id_1,closest_id_2");
  auto const least = column(out / "pair_distances.csv", "minimum");
  auto const mean = column(out / "pair_distances.csv", "mean");
  auto const most = column(out / "pair_distances.csv", "maximum");
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(0.0 < least[i]);
    CHECK(least[i] < 0.05);
    CHECK(1.2 < mean[i]);  // the mean of 1/r is 1
    CHECK(mean[i] < 2.5);
    CHECK(5.0 < most[i]);
  }

  CHECK(first_line(out / "force_errors.csv") == "step,time,median,p90,p99,maximum");
  CHECK(column(out / "force_errors.csv", "step") == std::vector<double>{0, 16});
  auto const median = column(out / "force_errors.csv", "median");
  CHECK(1e-17 < median[0]);
  CHECK(column(out / "force_errors.csv", "maximum")[0] < 1e-13);
  CHECK(median[0] != median[1]);  // another random sample
  CHECK(first_line(out / "potential_errors.csv") ==
        "step,time,median,p90,p99,maximum,potential_energy");
  for (double const x : column(out / "potential_errors.csv", "maximum")) {
    CHECK((0.0 < x && x < 1e-13));
  }
  for (double const x : column(out / "potential_errors.csv", "potential_energy")) {
    CHECK(std::abs(x) < 1e-13);
  }

  // Interactions of diagnostics do not count as work of the run.
  auto const summary = json::parse(content(out / "summary.json"));
  CHECK(summary["interactions"] == 17LL * 1500 * 1500);

  // The resolved deck reproduces the tables.
  auto const again = run_apsis("run out/deck.resolved.json --output again", scratch);
  CHECK(again.status == 0);
  for (auto const& file : table_files)
    CHECK(content(scratch / "again" / file) == content(out / file));
}

TEST_CASE("diagnostics have the same bits on any number of threads and do not change the run") {
  Scratch const scratch;
  scratch.write("deck.json", plummer);
  CHECK(run_apsis("run deck.json --quiet --output plain --set diagnostics=null", scratch).status ==
        0);
  auto const plain = without_wall_seconds(scratch / "plain/conservation.csv");
  for (auto const* precision : {"single", "double", "mixed"}) {
    std::vector<std::string> first;
    for (int const threads : {1, 2, 3}) {
      std::string const option = on_threads() ? " --threads " + std::to_string(threads) : "";
      auto const run = run_apsis(
          "run deck.json --quiet --force --output out --set "
          "gravity.precision=" +
              std::string(precision) + option,
          scratch);
      REQUIRE(run.status == 0);
      std::vector<std::string> tables;
      for (auto const& file : table_files) tables.push_back(content(scratch / "out" / file));
      if (first.empty()) first = tables;
      CHECK(tables == first);
      if (std::string(precision) == "double") {
        CHECK(without_wall_seconds(scratch / "out/conservation.csv") == plain);
      }
    }
  }
}

TEST_CASE("a row does not depend on the other output of its step") {
  Scratch const scratch;
  // A ball that expands at about escape speed: the escapers change from step to step.
  scratch.write("deck.json", R"({
    "bodies": {"generator": "expand", "count": 60}, "gravity": {"softening": 0.1},
    "integrator": {"time_step": 0.02}, "run": {"steps": 20},
    "output": {"conservation_interval": 0.4},
    "diagnostics": {"structure": {"interval": 0.02}}})");
  CHECK(run_apsis("run deck.json --output seldom", scratch).status == 0);
  CHECK(run_apsis("run deck.json --output often --set output.conservation_interval=0.02", scratch)
            .status == 0);
  CHECK(content(scratch / "seldom/structure.csv") == content(scratch / "often/structure.csv"));
  auto const escapers = column(scratch / "seldom/structure.csv", "escapers");
  CHECK(std::set<double>(escapers.begin(), escapers.end()).size() > 2);
}

TEST_CASE("the elements of an orbit are constant except the anomalies") {
  Scratch const scratch;
  // a = 1, e = 0.5, period 2 pi, from apocentre; one step is a 256th of a period.
  scratch.write("deck.json", R"({
    "bodies": {"list": [
      {"mass": 0.25, "position": [0, 0, 0], "velocity": [0, 0, 0]},
      {"mass": 0.75, "position": [0, 1.5, 0], "velocity": [0, 0, 0.57735026918962573]}]},
    "integrator": {"time_step": 0.0245436926061702598}, "run": {"steps": 256},
    "output": {"conservation_interval": 0.7853981633974483},
    "diagnostics": {"orbital_elements": {}}})");
  auto const run = run_apsis("run deck.json --output out", scratch);
  CHECK(run.err == "");
  REQUIRE(run.status == 0);
  auto const csv = scratch / "out/orbital_elements.csv";
  double const pi = std::acos(-1.0);
  auto const anomaly = column(csv, "mean_anomaly");
  REQUIRE(anomaly.size() == 9);
  for (std::size_t i = 0; i < 9; ++i) {
    CHECK(column(csv, "semi_major_axis")[i] == approximately(1.0, 0.01));
    CHECK(column(csv, "eccentricity")[i] == approximately(0.5, 0.01));
    CHECK(column(csv, "inclination")[i] == approximately(90.0, 1e-12));
    CHECK(column(csv, "ascending_node")[i] == approximately(90.0, 1e-12));
    CHECK(column(csv, "period")[i] == approximately(2.0 * pi, 0.02));
    double const turned = anomaly[i] - 180.0 - 45.0 * static_cast<double>(i);
    CHECK(std::abs(std::remainder(turned, 360.0)) < 3.0);
  }
  CHECK(column(csv, "semi_major_axis")[0] == approximately(1.0, 1e-14));
  auto const described = content(scratch / "out/orbital_elements.csv-metadata.json");
  CHECK(contains(described, R"("schema:unitText": "deg")"));
  CHECK_FALSE(contains(described, R"("rad")"));
}

TEST_CASE(
    "planets start from their elements, are centred, and have tables of orbits and trajectories") {
  Scratch const scratch;
  scratch.write("deck.json", R"({
    "units": {"system": "solar"},
    "bodies": {"centre": true, "orbits_about": "jacobi", "list": [
      {"mass": 1, "position": [0, 0, 0]},
      {"mass": 0.00095458, "semi_major_axis": 5.2, "eccentricity": 0.048, "inclination": 1.3,
       "node": 100.5, "argument": 273.9, "mean_anomaly": 20},
      {"mass": 0.00028581, "semi_major_axis": 9.55, "eccentricity": 0.056, "inclination": 2.5,
       "node": 113.7, "argument": 339.4, "true_anomaly": 317}]},
    "integrator": {"name": "blanes_moan6", "time_step": 0.5}, "run": {"end_time": 10},
    "output": {"conservation_interval": 5},
    "diagnostics": {"orbital_elements": {"about": "jacobi"}, "trajectories": {"bodies": [2, 1]}},
    "conservation": {"max_relative_energy_error": 1e-6, "max_momentum_error": 1e-15}})");
  auto const run = run_apsis("run deck.json --output out", scratch);
  CHECK(run.err == "");
  REQUIRE(run.status == 0);
  CHECK_FALSE(contains(run.out, "the centre of mass moves"));
  auto const orbits = scratch / "out/orbital_elements.csv", ways = scratch / "out/trajectories.csv";
  CHECK(column(orbits, "id") == std::vector<double>{1, 2, 1, 2, 1, 2});
  CHECK(column(orbits, "semi_major_axis")[0] == approximately(5.2, 1e-12));
  CHECK(column(orbits, "semi_major_axis")[1] == approximately(9.55, 1e-12));
  // Angles are reported as given in the deck.
  CHECK(column(orbits, "inclination")[0] == approximately(1.3, 1e-10));
  CHECK(column(orbits, "ascending_node")[1] == approximately(113.7, 1e-10));
  CHECK(column(orbits, "argument_of_pericenter")[0] == approximately(273.9, 1e-10));
  CHECK(column(orbits, "mean_anomaly")[0] == approximately(20.0, 1e-10));
  CHECK(column(orbits, "true_anomaly")[1] == approximately(317.0, 1e-10));
  CHECK(column(orbits, "eccentricity")[5] == approximately(0.056, 0.05));
  CHECK(column(ways, "id") == std::vector<double>{2, 1, 2, 1, 2, 1});
  CHECK(column(ways, "step") == std::vector<double>{0, 0, 10, 10, 20, 20});
  for (auto const* name : {"x", "y", "z", "vx", "vy", "vz"}) CHECK(column(ways, name).size() == 6);
  CHECK(std::abs(column(scratch / "out/conservation.csv", "center_of_mass_x")[2]) < 1e-13);

  auto const off = run_apsis(
      "run deck.json --output off --set bodies.centre=false --set "
      "diagnostics.orbital_elements.about=primary --set run.end_time=100",
      scratch);
  REQUIRE(off.status == 0);
  CHECK(contains(off.out, "the centre of mass moves"));
  CHECK(contains(off.out, "bodies.centre = true puts it at rest"));
  auto const nobody =
      run_apsis("run deck.json --output no --set diagnostics.trajectories.bodies=[7]", scratch);
  CHECK(nobody.status == 65);
  CHECK(contains(nobody.err, "diagnostics.trajectories.bodies: no body has the id 7"));
}

TEST_CASE("rolled-back steps leave no rows") {
  Scratch const scratch;
  // Leapfrog exceeds this limit at pericentre, t = pi, and keeps it with half the step.
  scratch.write("deck.json", R"({
    "bodies": {"list": [
      {"mass": 0.5, "position": [0.75, 0, 0], "velocity": [0, 0.2886751345948129, 0]},
      {"mass": 0.5, "position": [-0.75, 0, 0], "velocity": [0, -0.2886751345948129, 0]}]},
    "integrator": {"time_step": 0.0625}, "run": {"steps": 128},
    "output": {"conservation_interval": 0.5},
    "diagnostics": {"orbital_elements": {"interval": 0.0625}},
    "conservation": {"max_relative_energy_error": 4e-3, "on_violation": "retry"}})");
  auto const run = run_apsis("run deck.json --output out", scratch);
  CHECK(contains(run.out, "retry 1 of 2"));
  auto const steps = column(scratch / "out/orbital_elements.csv", "step");
  REQUIRE(steps.size() == 129);
  for (std::size_t i = 0; i < steps.size(); ++i) CHECK(steps[i] == static_cast<double>(i));
}

TEST_CASE("the tables in a directory belong to one run") {
  Scratch const scratch;
  scratch.write("deck.json", plummer);
  REQUIRE(run_apsis("run deck.json --quiet --output out", scratch).status == 0);
  for (auto const* file : {"deck.resolved.json", "conservation.csv", "summary.json",
                           "conservation.csv-metadata.json"}) {
    std::filesystem::remove(scratch / "out" / file);
  }
  std::string const plain = "run deck.json --quiet --output out --set diagnostics=null";
  auto const refused = run_apsis(plain, scratch);
  check_errors(refused, 74);
  CHECK(contains(refused.err, "already holds a run"));
  CHECK(run_apsis(plain + " --force", scratch).status == 0);
  // The remaining rows are of this run only.
  for (auto const& file : table_files) {
    CHECK_FALSE(std::filesystem::exists(scratch / "out" / file));
    CHECK_FALSE(std::filesystem::exists(scratch / "out" / (file + "-metadata.json")));
  }
}

TEST_CASE("rows before a non-finite state are kept, and none follow it") {
  Scratch const scratch;
  scratch.write("deck.json", R"({
    "bodies": {"list": [{"mass": 1, "position": [0, 0, 0]},
                        {"mass": 1, "position": [1, 0, 0], "velocity": [5e18, 0, 0]}]},
    "gravity": {"precision": "single", "softening": 0.1},
    "integrator": {"time_step": 1.0}, "run": {"steps": 1000},
    "output": {"conservation_interval": 100},
    "diagnostics": {"pair_distances": {"interval": 1}}})");
  check_errors(run_apsis("run deck.json --output out", scratch), 70);
  auto const rows = table(scratch / "out/pair_distances.csv");
  REQUIRE(rows.size() == 5);  // the header, steps 0 to 3; the square of 2e19 is beyond float
  CHECK(rows[4][0] == "3");
}
