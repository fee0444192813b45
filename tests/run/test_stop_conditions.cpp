// SPDX-License-Identifier: Apache-2.0
#include "support/contains.hpp"
#include "support/sample_bodies.hpp"
#include "support/scratch.hpp"
#include <apsis/deck/configuration.hpp>
#include <apsis/run/control.hpp>
#include <apsis/simulation/simulation.hpp>

#include <doctest/doctest.h>

#include <fstream>

using namespace apsis;
using apsis::testing::contains;

namespace {

deck::Configuration configured(std::string const& run) {
  return deck::configure(R"({"bodies": {"generator": "plummer", "count": 10},
                               "integrator": {"time_step": 0.1}, "run": )" +
                             run + "}",
                         "deck", {})
      .configuration;
}

/// Two bodies at a distance of 2, with ids 17 and 40.
HostBodies pair() {
  HostBodies bodies(2);
  bodies.mass = {1.0, 1.0};
  bodies.position = {{1.0, 5.0, 0.0}, {-1.0, 5.0, 0.0}};
  bodies.id = {17, 40};
  return bodies;
}

/// Returns the stop of a run of these bodies: by a condition on the bodies, or else by a control.
std::optional<run::Stop> stop_of(deck::StopConditions const& conditions, HostBodies const& bodies,
                                 double seconds = 0.0, std::string const& precision = "double") {
  auto run = configured(R"({"steps": 1})");
  if (precision == "single") run.gravity.precision = forces::Precision::single_precision;
  auto const simulation = simulation::make_simulation(run, bodies);
  if (auto stop = run::stop_of(conditions, *simulation)) return stop;
  for (auto const& control : run::standard_controls(conditions)) {
    auto const request = control({seconds, 0.0});
    if (request) return request->stop;
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("stop conditions of a deck with an end time or with a number of steps") {
  for (auto const* length : {R"("end_time": 1)", R"("steps": 3)"}) {
    auto const run =
        configured(std::string("{") + length +
                   R"(, "encounter_distance": 0.5, "escape_radius": 20, "max_wall_time": 60,
                                   "stop_file": "STOP"})");
    CHECK(run.stop.encounter_distance == 0.5);
    CHECK(run.stop.escape_radius == 20.0);
    CHECK(run.stop.max_wall_time == 60.0);
    CHECK(run.stop.stop_file == "STOP");
    auto const plain = configured(std::string("{") + length + "}");
    CHECK_FALSE(plain.stop.encounter_distance.has_value());
    CHECK_FALSE(plain.stop.escape_radius.has_value());
    CHECK_FALSE(plain.stop.max_wall_time.has_value());
    CHECK(plain.stop.stop_file.empty());
  }
  std::string text;
  try {
    configured(R"({"steps": 1, "stop_file": ""})");
  } catch (Error const& error) {
    text = error.what();
  }
  CHECK(contains(text, "deck: run.stop_file: empty"));
}

TEST_CASE("an escape is measured from the centre of mass and reports the id of the body") {
  deck::StopConditions conditions;
  CHECK_FALSE(stop_of(conditions, pair()).has_value());
  conditions.escape_radius = 1.0;  // the distance is equal, not larger
  CHECK_FALSE(stop_of(conditions, pair()).has_value());
  conditions.escape_radius = 0.999;
  auto const stop = stop_of(conditions, pair());
  REQUIRE(stop.has_value());
  CHECK(stop->reason == run::StopReason::escape);
  CHECK(stop->ids == std::vector<std::uint64_t>{17});
  CHECK(stop->distance == 1.0);
  CHECK_FALSE(stop->interrupted());
  CHECK(stop_of(conditions, pair(), 0.0, "single").has_value());
  CHECK_FALSE(stop_of(conditions, HostBodies(0)).has_value());
}

TEST_CASE("an encounter is a pair closer than a distance and reports both ids") {
  deck::StopConditions conditions;
  conditions.encounter_distance = 2.0;  // the distance is equal, not smaller
  CHECK_FALSE(stop_of(conditions, pair()).has_value());
  conditions.encounter_distance = 2.001;
  auto const stop = stop_of(conditions, pair());
  REQUIRE(stop.has_value());
  CHECK(stop->reason == run::StopReason::encounter);
  CHECK(stop->ids == std::vector<std::uint64_t>{17, 40});
  CHECK(stop->distance == 2.0);
  CHECK_FALSE(stop->interrupted());
  CHECK(stop_of(conditions, pair(), 0.0, "single").has_value());
  CHECK_FALSE(stop_of(conditions, HostBodies(1)).has_value());
}

TEST_CASE("the clock stops a run at its limit; conditions on the bodies come first") {
  deck::StopConditions conditions;
  conditions.max_wall_time = 2.0;
  CHECK_FALSE(stop_of(conditions, pair(), 1.99).has_value());
  auto const stop = stop_of(conditions, pair(), 2.0);
  REQUIRE(stop.has_value());
  CHECK(stop->reason == run::StopReason::wall_time);
  CHECK(stop->interrupted());
  conditions.escape_radius = 0.5;
  CHECK(stop_of(conditions, pair(), 2.0)->reason == run::StopReason::escape);
}

TEST_CASE("a stop file is checked at once and then 20 times per second") {
  apsis::testing::Scratch const scratch;
  auto const file = scratch / "stop";
  deck::StopConditions conditions;
  conditions.stop_file = file;
  auto const controls = run::standard_controls(conditions);
  REQUIRE(controls.size() == 2);
  auto const ask = [&](double seconds) { return controls[1]({seconds, 0.0}); };
  CHECK_FALSE(ask(0.0).has_value());
  std::ofstream{file};
  CHECK_FALSE(ask(0.04).has_value());
  auto const request = ask(0.06);
  REQUIRE(request.has_value());
  CHECK(request->kind == run::Request::Kind::stop);
  auto const stop = std::optional(request->stop);
  CHECK(stop->reason == run::StopReason::stop_file);
  CHECK(stop->interrupted());
  CHECK(contains(run::interruption(conditions, *stop, "after step 3", "a.run").text(),
                 "run.stop_file: stopped after step 3 by " + file.string()));
}
