// SPDX-License-Identifier: Apache-2.0
#include "parameters.hpp"

#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>

#include <cmath>
#include <utility>
#include <vector>

namespace apsis::amuse {

namespace {

constexpr char const* default_integrator = "hermite4";

std::vector<std::string> overrides_of(Parameters const& parameters) {
  std::vector<std::string> overrides{
      "gravity.solver=" + parameters.solver,
      "gravity.precision=" + parameters.precision,
      "gravity.softening=" + shortest(std::sqrt(parameters.eps2)),
      "integrator.name=" + parameters.integrator,
      "integrator.time_step=" + shortest(parameters.time_step),
  };
  auto stepping = parameters.stepping;
  if (stepping.empty() && parameters.integrator == default_integrator) stepping = "adaptive";
  if (!stepping.empty()) overrides.push_back("integrator.stepping.mode=" + stepping);
  if (parameters.eta > 0.0) {
    overrides.push_back("integrator.stepping.eta=" + shortest(parameters.eta));
  }
  if (parameters.accuracy > 0.0) {
    overrides.push_back("gravity.accuracy=" + shortest(parameters.accuracy));
  }
  return overrides;
}

}  // namespace

deck::ConfiguredDeck configure(Parameters const& parameters, HostBodies bodies, double time) {
  auto plan = deck::configure_simulation(parameters.deck, "deck", overrides_of(parameters),
                                         std::move(bodies));
  auto& run = plan.configuration;
  APSIS_VALIDATE(run.gravity.law.G == 1.0, {"deck", "G is " + shortest(run.gravity.law.G),
                                            "AMUSE converts to units in which it is 1",
                                            "leave units and gravity.G out of the deck"});
  APSIS_VALIDATE(!run.events.any(),
                 {"deck", "events of bodies", "AMUSE merges and removes particles itself",
                  "leave collisions, removal and encounters out of the deck"});
  run.start_time = time;
  return plan;
}

void check(Parameters const& parameters) {
  // A light body on a circle about a heavy one, which every scheme and solver accepts.
  HostBodies bodies(2);
  bodies.mass = {1.0, 1e-3};
  bodies.position[1] = {1.0, 0.0, 0.0};
  bodies.velocity[1] = {0.0, 1.0, 0.0};
  configure(parameters, std::move(bodies), parameters.begin_time);
}

std::optional<double> softening_at_point(Parameters const& parameters, double point_length) {
  if (point_length == 0.0) return std::nullopt;
  return std::sqrt(parameters.eps2 + point_length * point_length);
}

}  // namespace apsis::amuse
