// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/text.hpp>
#include <apsis/driver/configuration.hpp>
#include <apsis/driver/estimate.hpp>
#include <apsis/driver/simulation.hpp>
#include <apsis/forces/solver_entry.hpp>
#include <apsis/integrators/collision.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace apsis::driver {

namespace {

constexpr std::size_t few_bodies = 256;
constexpr double long_enough = 2e-3;  ///< [s]
constexpr int most_steps = 20;

/// Of a step of few bodies.
struct SmallStep {
  double seconds = 0.0;
  double sweeps = 1.0;  ///< forces of all on all
};

SmallStep small_step(Configuration const& run, HostBodies const& bodies) {
  SmallStep found;
  if (bodies.size() == 0) return found;
  auto const small = make_simulation(run, bodies);
  try {
    small->advance(1);  // the first has more to do
    double const before = small->interactions();
    auto const begin = std::chrono::steady_clock::now();
    int steps = 0;
    double seconds = 0.0;
    while (steps < most_steps && seconds < long_enough) {
      small->advance(1);
      ++steps;
      small->not_finite();  // waits for the device
      seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    double const pairs = static_cast<double>(bodies.size()) * static_cast<double>(bodies.size());
    found = {seconds / steps, (small->interactions() - before) / (pairs * steps)};
  } catch (integrators::Collision const&) {
    // The run will say so itself.
  }
  return found;
}

Estimate of_parts(Configuration const& run, SmallStep const& small, bool all, double forces) {
  return {all ? small.seconds : small.seconds + small.sweeps * forces, forces,
          bodies_decide_steps(run)};
}

}  // namespace

double Estimate::of(Configuration const& run, std::uint64_t steps) const {
  auto const lines = static_cast<double>(steps / run.conservation_steps + 1);
  return static_cast<double>(steps) * step + lines * log_line;
}

Estimate estimate(Configuration const& run, Simulation& whole) {
  auto const count = whole.count();
  auto const small = small_step(run, slice(whole.bodies(), 0, std::min(count, few_bodies)));
  return of_parts(run, small, count <= few_bodies, whole.time_forces());
}

Estimate estimate(Configuration const& run, HostBodies const& some, double count) {
  auto const whole = make_simulation(run, some);
  auto const share = static_cast<double>(some.size()) / std::max(count, 1.0);
  auto const small = small_step(run, slice(some, 0, std::min(some.size(), few_bodies)));
  bool const all = share == 1.0 && some.size() <= few_bodies;
  double const forces =
      some.size() > 0 ? whole->time_forces() / std::pow(share, run.solver->growth) : 0.0;
  return of_parts(run, small, all, forces);
}

std::string in_words(Estimate const& of, Configuration const& run, std::uint64_t steps) {
  return std::string(of.at_least ? "at least " : "about ") + spoken_time(of.step) + " a step, " +
         spoken_time(of.of(run, steps)) + " in all";
}

}  // namespace apsis::driver
