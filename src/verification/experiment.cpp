// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"

#include <apsis/core/text.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/simulation/leader.hpp>

#include <cmath>

namespace apsis::verification {

namespace {
deck::ConfiguredDeck configure(std::string const& deck, std::vector<std::string> overrides) {
  overrides.emplace_back("run.steps=1");
  return deck::configure(deck, "verify", overrides);
}
}  // namespace

std::unique_ptr<simulation::Simulation> make_experiment(Setting const& setting,
                                                        std::string const& deck,
                                                        std::vector<std::string> const& overrides) {
  auto configured_deck = configure(deck, overrides);
  simulation::set_leader(configured_deck, setting.leader);
  return simulation::make_simulation(configured_deck.configuration,
                                     simulation::make_bodies(configured_deck.configuration));
}

HostBodies make_deck_bodies(std::string const& deck, std::vector<std::string> const& overrides) {
  return simulation::make_bodies(configure(deck, overrides).configuration);
}

double worst_energy_error(simulation::Simulation& simulation, int samples, std::uint64_t steps) {
  diagnostics::Conservation energy;
  energy.add(simulation.measure());
  for (int sample = 0; sample < samples; ++sample) {
    simulation.advance(steps);
    energy.add(simulation.measure());
  }
  return energy.max_relative_energy_error;
}

double worse(double a, double b) {
  return std::isnan(a) || std::abs(a) > std::abs(b) ? std::abs(a) : std::abs(b);
}

double largest_distance(HostBodies const& a, HostBodies const& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = worse(largest, norm(a.position[i] - b.position[i]));
  }
  return largest;
}

std::string make_override(std::string const& path, double value) {
  return path + "=" + shortest(value);
}

}  // namespace apsis::verification
