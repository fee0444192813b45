// SPDX-License-Identifier: Apache-2.0
#include "verification/verify.hpp"

#include "benchmark/bench.hpp"
#include "experiment.hpp"
#include <apsis/core/machine.hpp>
#include <apsis/core/text.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/simulation/leader.hpp>

#include <algorithm>
#include <cmath>

namespace apsis::verification {

namespace {

deck::ConfiguredDeck configure(std::string const& deck, std::vector<std::string> overrides) {
  overrides.emplace_back("run.steps=1");
  return deck::configure(deck, "verify", overrides);
}

}  // namespace

bool Row::passed() const {
  return std::abs(measured - expected.value_or(0.0)) <= limit;
}

Registry<KnownAnswer> const& known_answers() {
  static Registry<KnownAnswer> const table{
      "known answer",
      {{"convergence_order", "order of convergence of every integrator, on Kepler orbits",
        convergence_order},
       {"time_reversal", "every time-reversible integrator returns to its initial state",
        time_reversal},
       {"two_body_orbit", "orbital elements of a Kepler orbit are constant over a thousand orbits",
        two_body_orbit},
       {"kepler_step",
        "Kepler steps with eccentricities from 0 to 10^4, on radial orbits and over many periods, "
        "against 72 digits",
        kepler_step},
       {"few_bodies",
        "an eccentric binary and the Pythagorean problem without a step to choose, against 128 "
        "bits",
        few_bodies},
       {"extra_forces",
        "precession by relativity and J2, decay by radiation, orbits and energies in fields",
        extra_forces},
       {"events",
        "time of contact, energy of a merger, bounces and closest encounters within steps, against "
        "the Kepler orbit of the pair",
        events},
       {"figure_eight",
        "three bodies exchange positions after T / 3 and return after T (Chenciner & Montgomery "
        "2000)",
        figure_eight},
       {"lagrange_triangle", "three equal masses rotate as a rigid triangle (Lagrange 1772)",
        lagrange_triangle},
       {"pythagorean",
        "masses 3, 4 and 5 released from rest at the corners of a right triangle, up to the last "
        "encounters (Burrau 1913; Szebehely & Peters 1967)",
        pythagorean},
       {"block_steps",
        "block time steps reach the energy error of shared steps with a fraction of the "
        "interactions (Makino 1991)",
        block_steps},
       {"plummer_equilibrium", "Lagrangian radii of a Plummer sphere are constant (Plummer 1911)",
        plummer_equilibrium},
       {"cold_collapse", "a uniform sphere at rest collapses after (pi / 2) sqrt(R^3 / (2 G M))",
        cold_collapse},
       {"king_tables", "concentration and radii of King models (King 1966)", king_tables},
       {"solar_system", "energy of the Sun and its planets is conserved over a thousand years",
        solar_system},
       {"chaos",
        "MEGNO is 2 for the outer planets, and grows with the Lyapunov exponent for two planets "
        "that are too close (Cincotta & Simo 2000)",
        chaos},
       {"cells_and_pairs",
        "the solver fmm reaches its accuracy, conserves energy and momentum, and evolves spheres "
        "and disks like direct summation",
        cells_and_pairs}}};
  return table;
}

std::string verify_heading() {
  return device_name() + "\n\n" +
         formatted("problem\n  %-24s %14s %14s %10s\n", "method", "measured", "expected", "limit");
}

std::string verify_line(Row const& row, std::string const& problem_above) {
  auto const expected = row.expected ? formatted("%.7g", *row.expected) : "";
  return (row.problem == problem_above ? "" : row.problem + "\n") +
         formatted("  %-24s %14.7g %14s %10.2g  %s\n", row.method.c_str(), row.measured,
                   expected.c_str(), row.limit, row.passed() ? "pass" : "FAIL");
}

std::string verify_verdict(std::vector<Row> const& rows) {
  auto const failed =
      std::count_if(rows.begin(), rows.end(), [](Row const& row) { return !row.passed(); });
  if (failed == 0) return formatted("\nall %zu answers are within their limits\n", rows.size());
  return formatted("\n%td of %zu answers are not within their limits\n", failed, rows.size());
}

std::string verify_json(std::vector<Row> const& rows) {
  std::vector<files::Record> records;
  for (auto const& row : rows) {
    records.push_back({{"problem", row.problem},
                       {"method", row.method},
                       {"measured", row.measured},
                       {"expected", row.expected ? Value(*row.expected) : Value()},
                       {"limit", row.limit},
                       {"pass", row.passed()}});
  }
  return files::to_json(benchmark::environment_record(), records);
}

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
