// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/driver/loop.hpp>

#include <string>

namespace apsis::driver {

/// The content of summary.json.
std::string summary_json(Configuration const& run, Outcome const& outcome);

/// The same for a reader at the terminal: what was conserved and how well, in a few lines.
std::string summary_text(Configuration const& run, Outcome const& outcome,
                         std::string const& directory);

/// Interactions per second of wall time; 0 before any has passed.
double interactions_per_second(double interactions, double wall_seconds);

}  // namespace apsis::driver
