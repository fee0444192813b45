// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verification/verify.hpp"
#include <apsis/diagnostics/conservation.hpp>
#include <apsis/simulation/simulation.hpp>

#include <memory>
#include <string>
#include <vector>

namespace apsis::verification {

/// Returns the simulation of a deck, which needs no end of the run. `overrides` as on the command
/// line: path=value. Times of the deck's schedule are ignored.
std::unique_ptr<simulation::Simulation> make_experiment(
    Setting const& setting, std::string const& deck,
    std::vector<std::string> const& overrides = {});

/// Returns the largest relative energy error against the present energy, from `samples`
/// measurements with `steps` steps before each.
double worst_energy_error(simulation::Simulation& simulation, int samples, std::uint64_t steps = 1);

HostBodies make_deck_bodies(std::string const& deck,
                            std::vector<std::string> const& overrides = {});

/// Returns the larger of two errors by absolute value; NaN if one of them is NaN.
double worse(double a, double b);

double largest_distance(HostBodies const& a, HostBodies const& b);

/// Returns "path=value" with a number that reads back exactly.
std::string make_override(std::string const& path, double value);

// Problems of the table.
KnownAnswer::Verify convergence_order;
KnownAnswer::Verify time_reversal;
KnownAnswer::Verify two_body_orbit;
KnownAnswer::Verify kepler_step;
KnownAnswer::Verify few_bodies;
KnownAnswer::Verify extra_forces;
KnownAnswer::Verify events;
KnownAnswer::Verify figure_eight;
KnownAnswer::Verify lagrange_triangle;
KnownAnswer::Verify pythagorean;
KnownAnswer::Verify block_steps;
KnownAnswer::Verify plummer_equilibrium;
KnownAnswer::Verify cold_collapse;
KnownAnswer::Verify king_tables;
KnownAnswer::Verify solar_system;
KnownAnswer::Verify chaos;
KnownAnswer::Verify cells_and_pairs;

}  // namespace apsis::verification
