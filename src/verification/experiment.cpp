// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"

#include <apsis/core/text.hpp>
#include <apsis/driver/configuration.hpp>

#include <cmath>

namespace apsis::verification {

std::unique_ptr<driver::Simulation> experiment(std::string const& deck,
                                               std::vector<std::string> const& overrides) {
  auto const run = driver::configure(deck, "verify", overrides).configuration;
  return driver::make_simulation(run, driver::make_bodies(run));
}

double relative_energy_error(driver::Simulation& now, double start) {
  return std::abs(now.measure().total() / start - 1.0);
}

HostBodies bodies_of(std::string const& deck, std::vector<std::string> const& overrides) {
  auto const run = driver::configure(deck, "verify", overrides).configuration;
  return driver::make_bodies(run);
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

std::string override_with(std::string const& path, double value) {
  return path + "=" + shortest(value);
}

}  // namespace apsis::verification
