// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/diagnostics/conservation.hpp>
#include <apsis/driver/simulation.hpp>
#include <apsis/verification/verify.hpp>

#include <memory>
#include <string>
#include <vector>

namespace apsis::verification {

/// The simulation of a deck, which need not say how long its run is. `overrides` as on the command
/// line: path=value; times of the deck's schedule are not read.
std::unique_ptr<driver::Simulation> experiment(Setting const& setting, std::string const& deck,
                                               std::vector<std::string> const& overrides = {});

/// The largest relative energy error against the present, of so many looks after so many steps
/// each.
double worst_energy_error(driver::Simulation& of, int looks, std::uint64_t steps = 1);

/// The bodies of a deck, before anything moves them.
HostBodies bodies_of(std::string const& deck, std::vector<std::string> const& overrides = {});

/// The larger of two errors, whatever their sign; NaN if one of them is.
double worse(double a, double b);

/// The largest distance between the same body in both.
double largest_distance(HostBodies const& a, HostBodies const& b);

/// "path=value" for a number, which reads back exactly.
std::string override_with(std::string const& path, double value);

// What the problems of the table do.
KnownAnswer::Verify convergence_order;
KnownAnswer::Verify time_reversal;
KnownAnswer::Verify two_body_orbit;
KnownAnswer::Verify figure_eight;
KnownAnswer::Verify lagrange_triangle;
KnownAnswer::Verify pythagorean;
KnownAnswer::Verify block_steps;
KnownAnswer::Verify plummer_equilibrium;
KnownAnswer::Verify cold_collapse;
KnownAnswer::Verify king_tables;
KnownAnswer::Verify solar_system;
KnownAnswer::Verify cells_and_pairs;

}  // namespace apsis::verification
