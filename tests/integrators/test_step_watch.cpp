// SPDX-License-Identifier: Apache-2.0
#include "integrators/stepped_run.hpp"
#include "support/relative.hpp"
#include "support/sample_bodies.hpp"
#include "support/suites.hpp"
#include <apsis/forces/direct.hpp>
#include <apsis/integrators/step_watch.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <numbers>
#include <optional>

using namespace apsis;
using apsis::testing::approximately;
using std::numbers::pi;
using testing::integrator;
using testing::SteppedRun;

namespace {

using Solver = forces::Direct<forces::Double>;
using Watch = integrators::StepWatch;

struct Method {
  std::string name, mode;
  double eta = 0.0;
  std::string criterion = "aarseth";
};

/// Run that is observed by a StepWatch.
struct WatchedRun : SteppedRun<Solver> {
  Watch watch;
  double time_step, time = 0.0;

  WatchedRun(Method const& method, HostBodies const& host, double step, double softening = 0.0,
             double limit = 1e300)
      : SteppedRun(method.name, testing::stepping(method.mode, method.eta, method.criterion), host,
                   softening, step),
        watch(space, bodies, {1.0, softening}, {true, true, true, limit}),
        time_step(step) {
    stepper->set_watch(&watch);
  }
  void advance(int times) {
    for (int i = 0; i < times; ++i) {
      watch.begin(space, bodies, time);
      stepper->advance(space, bodies, solver, time_step);
      time += time_step;
    }
  }
};

/// A star, a body at the given mean anomaly on an orbit with a = 1, and a distant planet.
HostBodies star_and_orbit(double e, double mean_anomaly, double mass) {
  double low = -10.0, high = 10.0;
  for (int n = 0; n < 200; ++n) {
    double const middle = 0.5 * (low + high);
    (middle - e * std::sin(middle) < mean_anomaly ? low : high) = middle;
  }
  double const E = 0.5 * (low + high), r = 1.0 - e * std::cos(E), b = std::sqrt(1.0 - e * e);
  HostBodies bodies(3);
  bodies.mass = {mass, 1.0, 1e-9};
  bodies.position = {{std::cos(E) - e, b * std::sin(E), 0}, {}, {25, 0, 0}};
  bodies.velocity = {{-std::sin(E) / r, b * std::cos(E) / r, 0}, {}, {0, 0.2, 0}};
  return bodies;
}

std::vector<Method> const methods{{"leapfrog_kdk", "fixed"},
                                  {"hermite4", "adaptive", 0.02},
                                  {"hermite6", "adaptive", 0.4, "nitadori_makino"},
                                  {"hermite4", "block", 0.02}};

}  // namespace

TEST_CASE("an approach within a step is detected with its time and distance" *
          testing::thread_counts) {
  for (auto method : methods) {
    CAPTURE(method.name + " " + method.mode);
    if (method.mode != "fixed") method.eta = 10.0;
    for (double const speed : {0.5, 30.0, 1e4}) {
      CAPTURE(speed);
      HostBodies bodies(3);
      bodies.mass = {0.0, 1e-20, 0.0};
      // The approach is at time 0.6 of the only step, in a moving frame.
      bodies.position = {{-0.6 * speed, 1e-3, 0}, {}, {-0.6 * speed, 1e-3, 0}};
      bodies.velocity = {{speed + 1e3, 0, 0}, {1e3, 0, 0}, {speed + 1e3, 0, 0}};
      WatchedRun run(method, bodies, 1.0);
      run.advance(1);
      auto const approach = run.watch.approach_in_step(run.space);
      REQUIRE(approach.has_value());
      CHECK(std::abs(std::sqrt(approach->squared) - 1e-3) < 1e-8);
      CHECK(std::abs(approach->time - 0.6) < 1e-6);
      CHECK(approach->second == (approach->first == 0 ? 1 : 2));
    }
  }
}

TEST_CASE("the closest approach on an orbit is its pericentre") {
  for (auto const& method : methods) {
    CAPTURE(method.name + " " + method.mode);
    double const e = method.mode == "fixed" ? 0.5 : 0.99;
    WatchedRun run(method, star_and_orbit(e, -0.5, 0.0), 0.0625);
    run.advance(16);
    auto const approach = run.watch.approach_since_row(run.space);
    REQUIRE(approach.has_value());
    CHECK(std::sqrt(approach->squared) == approximately(1.0 - e, 0.02).scale(0));
    CHECK(std::abs(approach->time - 0.5) < 0.01);
    CHECK(approach->first == 0);
    CHECK(approach->second == 1);
    // The last advance did not contain the pericentre.
    CHECK(run.watch.approach_in_step(run.space)->squared > 1.5 * approach->squared);
    run.watch.reset_row(run.space, true);
    CHECK_FALSE(run.watch.approach_since_row(run.space).has_value());
  }
}

TEST_CASE("block steps detect the approaches of massive and massless bodies like shared steps" *
          testing::thread_counts) {
  for (int const massless : {0, 1, 3}) {
    CAPTURE(massless);
    auto bodies = testing::sample_bodies(24);
    for (std::size_t i = 0; massless > 0 && i < bodies.size(); ++i) {
      if (i % 4 < static_cast<std::size_t>(massless)) bodies.mass[i] = 0.0;
    }
    for (auto const* mode : {"adaptive", "block"}) {
      CAPTURE(mode);
      WatchedRun run({"hermite4", mode, 0.01}, bodies, 0.25);
      WatchedRun fine({"hermite4", "adaptive", 0.002}, bodies, 1.0 / 4096.0);
      double least = 1e300;
      for (int k = 0; k < 1024; ++k) {
        fine.advance(1);
        auto const now = fine.host();
        for (std::size_t i = 0; i < now.size(); ++i) {
          for (std::size_t j = 0; j < i; ++j) {
            if (now.mass[i] == 0.0 && now.mass[j] == 0.0) continue;
            least = std::min(least, norm(now.position[i] - now.position[j]));
          }
        }
      }
      run.advance(1);
      double const measured = std::sqrt(run.watch.approach_in_step(run.space)->squared);
      CHECK(measured == approximately(least, 0.01).scale(0));
    }
  }
}

TEST_CASE("approaches in a step are reported below the limit only") {
  auto const bodies = star_and_orbit(0.5, -0.5, 0.0);
  WatchedRun run(methods[0], bodies, 0.0625, 0.0, 0.4);
  Watch only(run.space, run.bodies, {1.0, 0.0}, {true, false, false, 0.4});
  run.stepper->set_watch(&only);
  for (auto* const watch : {&only}) {
    watch->begin(run.space, run.bodies, 0.0);
    run.stepper->advance(run.space, run.bodies, run.solver, 0.0625);
    CHECK_FALSE(watch->approach_in_step(run.space).has_value());
  }
}

TEST_CASE("the coarsest passage is at the pericentre for every phase of the steps") {
  for (double const e : {0.0, 0.9, 0.9999}) {
    double const pericentre_time = std::pow(1.0 - e, 1.5);  // sqrt(q^3 / (G m))
    for (double const measure : {0.2, 0.5, 2.0, 30.0}) {
      CAPTURE(e);
      CAPTURE(measure);
      double const step = measure * pericentre_time;
      double coarsest = 0.0, least = 1e300;
      for (int phase = 0; phase < 16; ++phase) {
        // Five to six steps before the pericentre and five to six steps after it.
        double const start = -(5.0 + phase / 16.0) * step;
        if (-start > pi) continue;
        WatchedRun run(methods[0], star_and_orbit(e, start, 0.0), step);
        run.advance(11);
        auto const passage = run.watch.coarsest_passage(run.space);
        REQUIRE(passage.has_value());
        CHECK(passage->body == 0);
        CHECK(passage->massive == 1);
        coarsest = std::max(coarsest, passage->measure);
        least = std::min(least, passage->measure);
      }
      if (coarsest == 0.0) continue;
      // The measure of resolved passages is accurate to 10 %, and no unresolved passage is reported
      // as a resolved one.
      if (measure <= 0.5) CHECK(coarsest == approximately(measure, 0.1).scale(0));
      if (measure >= 2.0) CHECK(least > 0.9);
    }
  }
}

TEST_CASE("a passage at the limit changes the energy of its orbit by no more than stated") {
  // Energy error in units of the orbit's energy for e = 0.99, largest of eight phases of the steps.
  struct Scheme {
    std::string name;
    double limit, stated;
  };
  for (auto const& scheme :
       {Scheme{"kahan_li8", integrators::coarsest_measure(8, true), 0.03},
        Scheme{"leapfrog_kdk", integrators::coarsest_measure(2, true), 0.11}}) {
    CAPTURE(scheme.name);
    double const step = scheme.limit * std::pow(0.01, 1.5);  // q = 0.01
    double worst = 0.0;
    for (int phase = 0; phase < 8; ++phase) {
      auto bodies = star_and_orbit(0.99, -(40.0 + phase / 8.0) * step, 0.0);
      bodies.position[2] = {0, 0, 1e6};
      bodies.velocity[2] = {};
      WatchedRun run(Method{scheme.name, "fixed"}, bodies, step);
      auto const energy = [&run] {
        auto const now = run.host();
        auto const x = now.position[0] - now.position[1], v = now.velocity[0] - now.velocity[1];
        return 0.5 * dot(v, v) - 1.0 / norm(x);
      };
      double const before = energy();
      run.advance(80);
      worst = std::max(worst, std::abs(energy() / before - 1.0));
    }
    CHECK(worst < scheme.stated);
    CHECK(worst > 0.1 * scheme.stated);  // the limit is no stricter than it needs to be
  }
}

TEST_CASE("softening and adaptive steps resolve passages") {
  // A body falls through a softened source: the largest rate is sqrt(G m / eps^3).
  WatchedRun soft(methods[0], star_and_orbit(0.9999, -0.5, 0.0), 0.01, 0.125);
  soft.advance(100);
  auto const largest = soft.watch.largest_measure(0.01);
  CHECK(largest == approximately(0.01 * std::pow(0.125, -1.5), 1e-12).scale(0));
  CHECK(soft.watch.coarsest_passage(soft.space)->measure <= largest);
  for (auto const& method : methods) {
    if (method.mode == "fixed") continue;
    CAPTURE(method.name + " " + method.mode);
    WatchedRun run(method, star_and_orbit(0.9999, -0.5, 0.0), 0.25);
    run.advance(4);
    auto const passage = run.watch.coarsest_passage(run.space);
    CHECK(passage->measure < integrators::coarsest_measure(6, false));
  }
}

TEST_CASE("findings are rolled back and saved with the run" * testing::thread_counts) {
  auto const bodies = star_and_orbit(0.5, -0.5, 0.0);
  WatchedRun run(methods[0], bodies, 0.0625);
  run.advance(4);
  run.watch.mark(run.space);
  auto const marked = run.watch.approach_since_row(run.space);
  run.advance(6);
  CHECK(run.watch.approach_since_row(run.space)->squared < marked->squared);
  SavedState saved;
  run.watch.exchange(run.space, saved);
  run.watch.roll_back(run.space);
  CHECK(run.watch.approach_since_row(run.space)->squared == marked->squared);
  CHECK(run.watch.approach_since_row(run.space)->time == marked->time);
  SavedState restored(saved.blocks());
  Watch other(run.space, run.bodies, {1.0, 0.0}, {true, true, true});
  other.exchange(run.space, restored);
  restored.finish();
  SavedState again;
  other.exchange(run.space, again);
  REQUIRE(again.blocks().size() == saved.blocks().size());
  for (std::size_t k = 0; k < saved.blocks().size(); ++k) {
    CHECK(again.blocks()[k].name == saved.blocks()[k].name);
    CHECK(again.blocks()[k].bytes == saved.blocks()[k].bytes);
  }
  other.roll_back(run.space);
  CHECK(other.approach_since_row(run.space)->squared == marked->squared);
}
