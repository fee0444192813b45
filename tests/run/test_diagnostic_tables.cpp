// SPDX-License-Identifier: Apache-2.0
#include "diagnostics/force_error_sample.hpp"
#include "files/file.hpp"
#include "support/contains.hpp"
#include "support/decks.hpp"
#include "support/relative.hpp"
#include "support/sample_bodies.hpp"
#include "support/scratch.hpp"
#include "support/suites.hpp"
#include <apsis/run/observer.hpp>
#include <apsis/run/run_directory.hpp>
#include <apsis/simulation/measurements.hpp>
#include <apsis/simulation/simulation.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <set>
#include <sstream>
#include <tuple>

using namespace apsis;
using apsis::testing::approximately;
using apsis::testing::contains;
using run::Occasion;

namespace {

std::string const base = R"({
  "bodies": {"generator": "plummer", "count": 100},
  "integrator": {"time_step": 0.01},
  "run": {"end_time": 1.0}, "output": {"conservation_interval": 0.05}
})";

std::string const two = R"({
  "bodies": {"list": [{"mass": 0.5, "position": [0.75, 0, 0]},
                      {"mass": 0.5, "position": [-0.75, 0, 0]}]},
  "integrator": {"time_step": 0.01}, "run": {"steps": 10},
  "diagnostics": {"orbital_elements": {"interval": 0.03}, "pair_distances": {"interval": 0.05}}
})";

deck::Configuration configured_tables(std::vector<std::string> const& overrides,
                                      std::string const& json = base) {
  return apsis::testing::configured(json, overrides);
}

std::string problems(std::vector<std::string> const& overrides, std::string const& json = base) {
  return apsis::testing::problems_of(json, overrides);
}

/// Directory for the tables of one test.
struct Directory {
  apsis::testing::Scratch scratch;
  std::filesystem::path path = scratch / "run";
  run::RunDirectory files{path, run::Existing::replace};

  Directory() { files.prepare(); }

  std::vector<std::string> lines(std::string const& file) const {
    std::istringstream text(files::read_file(path / file));
    std::vector<std::string> result;
    for (std::string line; std::getline(text, line);) result.push_back(line);
    return result;
  }
};

/// The diagnostic tables of a run.
struct Tables {
  std::string const deck;
  std::vector<std::unique_ptr<run::Observer>> tables;

  Tables(deck::Configuration const& run, run::RunDirectory const& files) {
    for (auto const& plan : run.diagnostics) {
      tables.push_back(run::diagnostic_table({run, files, deck}, plan));
    }
  }
  bool is_due(run::RunStatus const& status, Occasion occasion) const {
    return std::any_of(tables.begin(), tables.end(),
                       [&](auto const& table) { return table->is_due(status, occasion); });
  }
  void observe(simulation::Instant& now, run::RunStatus const& status, Occasion occasion) {
    for (auto& table : tables) {
      if (table->is_due(status, occasion)) table->observe(now, status, occasion);
    }
  }
  void commit() {
    for (auto& table : tables) table->commit();
  }
  void discard() {
    for (auto& table : tables) table->discard();
  }
};

run::RunStatus status_at(deck::Configuration const& run, std::uint64_t step) {
  return {step, run.steps, run.time(step), 0.0, 0.0};
}

std::vector<double> numbers_of(std::string const& line) {
  std::vector<double> result;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) result.push_back(std::stod(field));
  return result;
}

}  // namespace

TEST_CASE("there are no diagnostics that the deck does not request") {
  auto const deck = deck::configure(base, "deck", {});
  CHECK(deck.configuration.diagnostics.empty());
  CHECK(deck.resolved.find("diagnostics") == std::string::npos);
}

TEST_CASE("every diagnostic has its own name, file and help text") {
  std::set<std::string> names, files;
  for (auto const& entry : deck::diagnostic_entries()) {
    CHECK(names.insert(entry.name).second);
    CHECK(files.insert(entry.file).second);
    CHECK(!entry.doc.empty());
  }
  CHECK(names.size() == 12);
}

TEST_CASE("intervals of diagnostics are whole numbers of steps, by default that of the log") {
  auto const run =
      configured_tables({"diagnostics.structure.interval=0.1", "diagnostics.pair_distances={}",
                         "diagnostics.lagrangian_radii={}"});
  REQUIRE(run.diagnostics.size() == 3);
  CHECK(run.diagnostics[0].entry->name == "lagrangian_radii");
  CHECK(run.diagnostics[0].steps == 5);
  CHECK(run.diagnostics[0].values.numbers("fractions") ==
        std::vector<double>{0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9});
  CHECK(run.diagnostics[1].entry->name == "structure");
  CHECK(run.diagnostics[1].steps == 10);
  CHECK(run.diagnostics[2].steps == 5);
  CHECK(contains(problems({"diagnostics.structure.interval=0.024"}),
                 "diagnostics.structure.interval: not a whole number of steps (0.024 is 2.4 time "
                 "steps of 0.01); the nearest time that is one is 0.02"));
  CHECK(contains(problems({"diagnostics.structure.interval=0"}), "must be a finite number > 0"));
  CHECK(contains(problems({"diagnostics.lagrangian_radii.fractions=[0.5, 1.5]"}),
                 "diagnostics.lagrangian_radii.fractions[1]: out of range"));
  CHECK(contains(problems({"diagnostics.structur={}"}), "did you mean 'structure'?"));
  CHECK(contains(problems({"diagnostics.force_error_sample.bodies=0"}), "out of range"));
}

TEST_CASE("the resolved deck contains all values of its diagnostics and reproduces them") {
  auto const deck =
      deck::configure(base, "deck",
                      {"diagnostics.structure={}", "diagnostics.force_error_sample={}",
                       "diagnostics.lagrangian_radii.fractions=[0.5, 0.25]"});
  CHECK(contains(deck.resolved, "\"interval\": 0.05"));
  auto const again = deck::configure(deck.resolved, "deck", {});
  CHECK(again.resolved == deck.resolved);
  REQUIRE(again.configuration.diagnostics.size() == 3);
  CHECK(again.configuration.diagnostics[0].values.numbers("fractions") ==
        std::vector<double>{0.5, 0.25});
  CHECK(again.configuration.diagnostics[2].values.integer("bodies") == 100);
}

TEST_CASE("a diagnostic that needs two bodies is refused for fewer") {
  CHECK(contains(problems({"diagnostics.orbital_elements={}", "bodies.count=1"}),
                 "deck: diagnostics.orbital_elements: needs 2 bodies or more (the deck has 1)"));
  CHECK(contains(problems({"diagnostics.pair_distances={}", "bodies.count=1"}),
                 "diagnostics.pair_distances: needs 2 bodies or more (the deck has 1)"));
  CHECK(configured_tables({}, two).diagnostics.size() == 2);
  // All problems are reported together, even if the number of bodies is unknown.
  auto const both = problems({"diagnostics.structure.interval=0.024", "bodies.count=-1"});
  CHECK(contains(both, "diagnostics.structure.interval"));
  CHECK(contains(both, "bodies.count"));
}

TEST_CASE("tables have a row at the start, at every interval and at the end") {
  Directory const directory;
  auto const run = configured_tables({}, two);
  Tables tables(run, directory.files);
  auto host = testing::kepler_orbit(0.5);
  host.id = {100000, (std::uint64_t{1} << 53) + 1};
  auto const bodies = simulation::make_simulation(run, host);
  auto const observe = [&](std::uint64_t step) {
    for (auto const occasion : {Occasion::scheduled, Occasion::end}) {
      if (occasion == Occasion::end && step != run.steps) continue;
      tables.observe(*bodies, status_at(run, step), occasion);
    }
  };
  std::vector<std::uint64_t> due;
  for (std::uint64_t step = 0; step <= 10; ++step) {
    if (tables.is_due(status_at(run, step), Occasion::scheduled)) due.push_back(step);
  }
  CHECK(due == std::vector<std::uint64_t>{0, 3, 5, 6, 9, 10});
  CHECK(tables.is_due(status_at(run, 10), Occasion::end));
  CHECK_FALSE(tables.is_due(status_at(run, 0), Occasion::end));

  for (std::uint64_t step = 0; step <= 4; ++step) observe(step);
  // Rows are held back until their steps are committed.
  CHECK(directory.lines("orbital_elements.csv").size() == 1);
  tables.commit();
  CHECK(directory.lines("orbital_elements.csv").size() == 3);
  for (std::uint64_t step = 5; step <= 7; ++step) observe(step);
  tables.discard();
  for (std::uint64_t step = 5; step <= 10; ++step) observe(step);
  tables.commit();
  tables.commit();

  auto const orbits = directory.lines("orbital_elements.csv");
  CHECK(orbits[0] ==
        "step,time,semi_major_axis,eccentricity,inclination,ascending_node,argument_of_pericenter,"
        "true_anomaly,mean_anomaly,period,id");
  std::vector<double> steps;
  for (std::size_t i = 1; i < orbits.size(); ++i) steps.push_back(numbers_of(orbits[i])[0]);
  CHECK(steps == std::vector<double>{0, 3, 6, 9, 10});
  auto const first = numbers_of(orbits[1]);
  REQUIRE(first.size() == 11);
  double const pi = std::acos(-1.0);
  CHECK(first[2] == approximately(1.0, 1e-14));  // starts at apocentre, on the left
  CHECK(first[3] == approximately(0.5, 1e-14));
  CHECK(first[4] == 0.0);
  CHECK(first[7] == approximately(180.0, 1e-14));
  CHECK(first[8] == approximately(180.0, 1e-14));
  CHECK(first[9] == approximately(2.0 * pi, 1e-14));

  auto const pairs = directory.lines("pair_distances.csv");
  REQUIRE(pairs.size() == 4);
  CHECK(pairs[0] == "step,time,minimum,mean,maximum,closest_id_1,closest_id_2");
  CHECK(pairs[2] == "5,0.05,1.5,1.5,1.5,100000,9007199254740993");
  CHECK(contains(files::read_file(directory.path / "pair_distances.csv-metadata.json"),
                 "closest_id_1"));
}

TEST_CASE("tables are in the units of the run; velocities in km/s have their own column") {
  Directory const directory;
  auto const run = configured_tables({"units.system=astrophysical", "diagnostics.structure={}",
                                      "bodies.mass=1", "bodies.scale_radius=1"});
  Tables tables(run, directory.files);
  auto plain = run;
  plain.gravity.law.G = 1.0;
  auto const bodies = simulation::make_simulation(plain, testing::kepler_orbit(0.0));
  tables.observe(*bodies, status_at(run, 0), Occasion::scheduled);
  tables.commit();
  auto const lines = directory.lines("structure.csv");
  CHECK(lines[0] ==
        "step,time,half_mass_radius,core_radius,center_x,center_y,center_z,velocity_dispersion,"
        "velocity_dispersion_km_s,escapers,escaper_mass");
  // Two bodies have no core radius: an empty field.
  CHECK(contains(lines.at(1), "0.5,,"));
  auto filled = lines.at(1);
  filled.insert(filled.find(",,") + 1, "0");
  auto const row = numbers_of(filled);
  REQUIRE(row.size() == 11);
  CHECK(row[2] == approximately(0.5, 1e-15));
  // Both move with a speed of 1/2 along y; 1 pc/Myr is 0.978 km/s.
  CHECK(row[7] == approximately(0.5 / std::sqrt(3.0), 1e-14));
  CHECK(row[8] == approximately(row[7] * 0.9777922, 1e-6));
  CHECK(row[9] == 0.0);
  auto const described = files::read_file(directory.path / "structure.csv-metadata.json");
  CHECK(contains(described, "\"schema:unitText\": \"pc Myr^-1\""));
  CHECK(contains(described, "\"schema:unitText\": \"km/s\""));
}

TEST_CASE("measurements change neither the state nor the counters" * testing::thread_counts) {
  for (auto const* precision : {"single", "double"}) {
    auto run = configured_tables({"gravity.softening=0.1", "integrator.name=leapfrog_dkd",
                                  "gravity.precision=" + std::string(precision)});
    auto const bodies = simulation::make_simulation(run, testing::sample_bodies(50));
    auto const other = simulation::make_simulation(run, testing::sample_bodies(50));
    // The accelerations of the scheme itself are those of the middle of a step.
    bodies->advance(3);
    other->advance(3);
    auto const before = bodies->interactions();
    auto const errors = simulation::force_errors(*bodies, 1, 50);
    CHECK(errors.maximum > 0.0);
    double const epsilon = precision == std::string("single")
                               ? std::numeric_limits<float>::epsilon()
                               : std::numeric_limits<double>::epsilon();
    CHECK(errors.maximum < 200.0 * epsilon);
    CHECK(bodies->potential().size() == 50);
    CHECK(simulation::potential_errors(*bodies, 1, 50).bodies.maximum < 200.0 * epsilon);
    CHECK(simulation::potential_errors(*bodies, 1, 50).bodies.maximum > 0.0);
    CHECK(simulation::potential_errors(*bodies, 1, 9).bodies.maximum !=
          simulation::potential_errors(*bodies, 2, 9).bodies.maximum);
    CHECK(bodies->G() == 1.0);
    CHECK(bodies->interactions() == before);
    // The sample depends on the seed and the step.
    auto const drawn = [&](std::uint64_t seed) {
      auto const percentiles = simulation::force_errors(*bodies, seed, 9);
      return std::tuple(percentiles.median, percentiles.p90, percentiles.maximum);
    };
    CHECK(drawn(1) == drawn(1));
    CHECK((drawn(1) != drawn(2) && drawn(1) != drawn(3)));
    bodies->advance();
    other->advance();
    CHECK(bodies->step() == 4);
    CHECK(bodies->bodies().position == other->bodies().position);
    CHECK(bodies->potential() == other->potential());
  }
}

TEST_CASE("Lagrangian radii of one species") {
  Directory const directory;
  auto const run = configured_tables(
      {R"(diagnostics.lagrangian_radii={"fractions": [0.5, 1], "species": "stars"})"});
  Tables tables(run, directory.files);
  // Bodies at distances 1 to 40 from the origin; every second one of the first twenty is a star.
  HostBodies host(80);
  host.species.resize(80);
  for (std::size_t i = 0; i < 80; ++i) {
    double const radius = 1.0 + static_cast<double>(i / 2);
    host.mass[i] = 1.0;
    host.position[i] = {i % 2 == 0 ? radius : -radius, 0.0, 0.0};
    host.species[i] = i % 2 == 0 && i < 20 ? species_types::stars : species_types::disk;
  }
  auto const bodies = simulation::make_simulation(run, host);
  tables.observe(*bodies, status_at(run, 0), Occasion::scheduled);
  tables.commit();
  auto const row = numbers_of(directory.lines("lagrangian_radii.csv").at(1));
  REQUIRE(row.size() == 7);
  auto const distance = [&](double x) { return std::hypot(x - row[2], row[3], row[4]); };
  std::vector<double> star_distances;
  for (int k = 1; k <= 10; ++k) star_distances.push_back(distance(k));
  std::sort(star_distances.begin(), star_distances.end());
  CHECK(row[5] == approximately(star_distances[4]));
  CHECK(row[6] == approximately(star_distances[9]));
}

TEST_CASE("nearest_bodies has the distance of each body to the nearest other one, also massless") {
  Directory const directory;
  auto const run = configured_tables({"diagnostics={\"nearest_bodies\": {}}"}, R"({
    "bodies": {"list": [{"mass": 1, "position": [0, 0, 0]}, {"mass": 1, "position": [1, 0, 0]},
                        {"mass": 1, "position": [3, 0, 0]}, {"mass": 0, "position": [3, 0, 0.5]}]},
    "gravity": {"softening": 0.1}, "integrator": {"time_step": 0.01}, "run": {"steps": 10}})");
  Tables tables(run, directory.files);
  auto const simulation = simulation::make_simulation(run, simulation::make_bodies(run));
  tables.observe(*simulation, status_at(run, 0), Occasion::scheduled);
  tables.commit();
  auto const lines = directory.lines("nearest_bodies.csv");
  REQUIRE(lines.size() == 5);
  CHECK(lines[0] == "step,time,id,distance,nearest_id");
  CHECK(numbers_of(lines[1]) == std::vector<double>{0, 0, 0, 1, 1});
  CHECK(numbers_of(lines[2]) == std::vector<double>{0, 0, 1, 1, 0});
  CHECK(numbers_of(lines[3]) == std::vector<double>{0, 0, 2, 0.5, 3});
  CHECK(numbers_of(lines[4]) == std::vector<double>{0, 0, 3, 0.5, 2});
}
