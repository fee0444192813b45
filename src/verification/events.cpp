// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"
#include <apsis/diagnostics/conservation.hpp>
#include <apsis/simulation/events.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace apsis::verification {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

struct EventfulRun {
  std::unique_ptr<simulation::Simulation> simulation;
  std::vector<simulation::Event> events{};

  explicit EventfulRun(std::string const& deck) : simulation(make_experiment({}, deck)) {}

  void advance(int steps) {
    for (int step = 0; step < steps; ++step) {
      simulation->advance();
      auto const& last = simulation->events();
      events.insert(events.end(), last.begin(), last.end());
    }
  }
};

/// Time in which bodies fall towards each other from rest, with G times the sum of masses 1.
double fall_time(double from, double to) {
  double const x = to / from;
  return std::sqrt(0.5 * from * from * from) * (std::acos(std::sqrt(x)) + std::sqrt(x * (1.0 - x)));
}

/// The energy of the relative motion does not change before it is moved to the books.
void verify_merger(Report const& report) {
  EventfulRun run(R"({"bodies": {"list": [
      {"mass": 1, "radius": 0.005, "position": [0, 0, 0], "velocity": [0, 0.2, 0]},
      {"mass": 0.5, "radius": 0.003, "position": [0.01, 0, 0], "velocity": [0, -1.4, 0.3]}]},
    "integrator": {"name": "gauss_radau15", "time_step": 0.0009765625},
    "collisions": {"on_collision": "merge"}})");
  run.advance(4);
  bool const merged = run.events.size() == 1;
  auto const& bodies = run.simulation->bodies();
  report({"merger: energy moved to the books", "gauss_radau15",
          merged ? run.events[0].moved.energy : unknown, -49.55833333333333, 1e-10});
  report({"merger: x", "gauss_radau15", merged ? bodies.position[0].x : unknown,
          0.0033333333333333335, 1e-15});
  report(
      {"merger: v_y", "gauss_radau15", merged ? bodies.velocity[0].y : unknown, -1.0 / 3.0, 1e-12});
}

struct Method {
  std::string name, integrator;
  double limit;
};

/// Bodies that fall from rest touch at a known time, also in the middle of long steps.
void verify_contact_time(Report const& report) {
  for (auto const& method :
       {Method{"gauss_radau15", R"({"name": "gauss_radau15", "time_step": 1})", 1e-10},
        Method{"blanes_casas8", R"({"name": "blanes_casas8", "time_step": 0.015625})", 1e-5},
        Method{"leapfrog_kdk", R"({"name": "leapfrog_kdk", "time_step": 0.015625})", 2e-3},
        Method{"hermite4 block",
               R"({"name": "hermite4", "time_step": 0.25, "stepping": {"mode": "block"}})", 1e-4},
        Method{"hermite6 adaptive",
               R"({"name": "hermite6", "time_step": 0.25, "stepping": {"mode": "adaptive"}})",
               1e-6}}) {
    EventfulRun run(R"({"bodies": {"list": [
        {"mass": 0.75, "radius": 0.15, "position": [0.5, 0, 0]},
        {"mass": 0.25, "radius": 0.05, "position": [-1.5, 0, 0]}]},
      "integrator": )" +
                    method.integrator + R"(, "collisions": {"on_collision": "merge"}})");
    double const expected = fall_time(2.0, 0.2), step = run.simulation->state().time_step;
    run.advance(static_cast<int>(std::ceil(expected / step)));
    report({"time of contact of two falling bodies", method.name,
            run.events.size() == 1 ? run.events[0].time : unknown, expected, method.limit});
  }
}

/// A ball on a star returns to its height after each bounce.
void verify_bounces(Report const& report) {
  EventfulRun run(R"({"bodies": {"list": [
      {"mass": 1, "radius": 0.5, "position": [0, 0, 0]},
      {"mass": 0, "radius": 0.1, "position": [1, 0, 0]}]},
    "integrator": {"name": "gauss_radau15", "time_step": 0.5},
    "collisions": {"on_collision": "bounce"}})");
  constexpr std::size_t bounces = 10;
  double const expected = (2.0 * bounces - 1.0) * fall_time(1.0, 0.6);
  run.advance(static_cast<int>(std::ceil(expected / 0.5)));
  report({"time of the tenth bounce of an elastic ball", "gauss_radau15",
          run.events.size() >= bounces ? run.events[bounces - 1].time : unknown, expected, 1e-9});
}

/// The closest encounter of the Pythagorean problem, inside of steps of 1.
void verify_encounter(Report const& report) {
  EventfulRun run(R"({"bodies": {"generator": "pythagorean"},
    "integrator": {"name": "gauss_radau15", "time_step": 1}, "encounters": {"distance": 0.01}})");
  run.advance(16);
  auto const closest = std::min_element(run.events.begin(), run.events.end(),
                                        [](simulation::Event const& a, simulation::Event const& b) {
                                          return a.distance < b.distance;
                                        });
  bool const is_listed = closest != run.events.end();
  report({"pythagorean: time of the closest encounter", "gauss_radau15",
          is_listed ? closest->time : unknown, 15.829920271581, 1e-7});
  report({"pythagorean: its distance", "gauss_radau15", is_listed ? closest->distance : unknown,
          4.13824836e-4, 1e-8});
}

}  // namespace

void events(Setting const& /*setting*/, Report const& report) {
  verify_merger(report);
  verify_contact_time(report);
  verify_bounces(report);
  verify_encounter(report);
}

}  // namespace apsis::verification
