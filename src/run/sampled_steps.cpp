// SPDX-License-Identifier: Apache-2.0
#include "sampled_steps.hpp"

#include <apsis/core/poll.hpp>
#include <apsis/core/reductions.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/integrators/collision.hpp>
#include <apsis/simulation/simulation.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace apsis::run {

namespace {

constexpr double sufficient_time = 2e-3;  ///< sufficient time of whole steps [s]
constexpr double longest = 0.3;           ///< limit on the time of internal steps [s]
constexpr double longest_force = 0.05;  ///< limit on the force evaluation of the stepped bodies [s]
constexpr int most_steps = 20;

/// Returns the number of bodies that are stepped. With adaptive and block stepping the distribution
/// of the steps over all bodies matters, and a step of few bodies is not representative.
std::size_t sample_size(deck::Configuration const& run, std::size_t count, double forces) {
  // Ranks that share the bodies cannot interrupt each other, so they step few bodies in any case.
  bool const steps_few = !run.integrator.has_variable_steps() || run.leader != nullptr;
  if (count <= few_bodies || steps_few) return std::min(count, few_bodies);
  if (forces <= longest_force) return count;
  double const part = std::pow(longest_force / forces, 1.0 / run.gravity.solver->cost_exponent);
  return std::max(few_bodies, static_cast<std::size_t>(part * static_cast<double>(count)));
}

}  // namespace

HostBodies sample_evenly(HostBodies const& bodies, std::size_t most) {
  std::size_t const count = bodies.size(), chosen = std::min(count, most);
  if (chosen == count) return bodies;
  HostBodies sample(chosen);
  double total_mass = 0.0, mass = 0.0;
  for (double const m : bodies.mass) total_mass += m;
  // Some integrators need the body with the largest mass.
  auto const heaviest = static_cast<std::size_t>(
      std::max_element(bodies.mass.begin(), bodies.mass.end()) - bodies.mass.begin());
  auto const heaviest_row = std::min(chosen - 1, (heaviest * chosen + count - 1) / count);
  for (std::size_t k = 0; k < chosen; ++k) {
    auto const evenly = static_cast<std::size_t>(
        static_cast<double>(k) * static_cast<double>(count) / static_cast<double>(chosen));
    auto const i = k == heaviest_row ? heaviest : evenly;
    mass += sample.mass[k] = bodies.mass[i];
    sample.position[k] = bodies.position[i];
    sample.velocity[k] = bodies.velocity[i];
    sample.id[k] = bodies.id[i];
    if (!bodies.radius.empty()) sample.radius.push_back(bodies.radius[i]);
    if (!bodies.species.empty()) sample.species.push_back(bodies.species[i]);
    if (!bodies.name.empty()) sample.name.push_back(bodies.name[i]);
  }
  for (double& m : sample.mass) m *= mass > 0.0 ? total_mass / mass : 1.0;
  return sample;
}

std::unique_ptr<simulation::Simulation> make_sample_simulation(deck::Configuration const& run,
                                                               HostBodies const& sample) {
  if (run.forces.empty()) return simulation::make_simulation(run, sample);
  auto gravity_alone = run;
  gravity_alone.forces.clear();
  return simulation::make_simulation(gravity_alone,
                                     run.leader ? sample_evenly(sample, fixed_sum_block) : sample);
}

SampledSteps sampled_steps(deck::Configuration const& run, simulation::Simulation& simulation,
                           double forces, bool has_all_bodies) {
  auto const count = simulation.count();
  auto const bodies = sample_evenly(simulation.bodies(), sample_size(run, count, forces));
  SampledSteps result;
  result.is_whole = has_all_bodies && bodies.size() == count;
  result.is_inner = run.integrator.has_variable_steps();
  auto const sample = result.is_whole ? simulation::make_simulation(run, bodies)
                                      : make_sample_simulation(run, bodies);

  /// Position of the simulation [steps of the deck] and its counters.
  struct Sample {
    double position, interactions, inner_steps;
    Stopwatch watch{};
  };
  std::optional<Sample> first, last;
  double seconds = 0.0, whole_steps = 0.0;
  // The first internal step is not timed: it loads kernels and allocates memory.
  auto const record = [&](double fraction) {
    Sample const now{whole_steps + fraction, sample->interactions(),
                     static_cast<double>(sample->state().integrator_steps)};
    if (!first) {
      first = now;
      return;
    }
    last = now;
    seconds = first->watch.seconds();
    if (seconds > longest) throw Interrupted();
  };
  sample->set_step_poll(record);
  try {
    sample->advance(0);
    while (whole_steps <= most_steps && seconds < sufficient_time) {
      sample->advance(1);
      sample->not_finite();  // waits for the device
      whole_steps += 1.0;
      record(0.0);
    }
  } catch (Interrupted const&) {
  } catch (integrators::Collision const&) {
    // The run reports the collision itself.
  }
  if (!first || !last || !(last->position > first->position)) return result;
  double const steps = last->position - first->position;
  double const pairs = static_cast<double>(sample->count()) * static_cast<double>(sample->count());
  result.seconds = seconds / steps;
  result.sweeps = (last->interactions - first->interactions) / (pairs * steps);
  result.inner_steps = (last->inner_steps - first->inner_steps) / steps;
  // At the end of a step of the deck the forces on all bodies are evaluated together.
  if (whole_steps < 1.0) {
    result.seconds += forces * (result.is_whole ? 1.0 : 0.0);
    result.sweeps += 1.0;
  }
  return result;
}

double seconds_of(SampledSteps const& steps, simulation::MeasuredTimes const& times) {
  if (steps.is_whole) return steps.seconds;
  if (!steps.is_inner) return steps.seconds + steps.sweeps * times.forces;
  // Each internal step has at least the cost of a few bodies.
  return steps.inner_steps * times.few + steps.sweeps * std::max(0.0, times.forces - times.few);
}

}  // namespace apsis::run
