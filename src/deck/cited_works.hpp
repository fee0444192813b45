// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/citation.hpp"
#include <apsis/deck/configuration.hpp>

namespace apsis::deck {

/// A work, and what it is cited for: "integrator hermite4", "Kokkos".
struct CitedWork {
  Citation const* work;
  std::vector<std::string> uses;
};

/// Returns the works that a run uses: Apsis and Kokkos, integrator, solver, softening, criterion,
/// models, forces besides gravity, tables, and options with works of their own.
std::vector<CitedWork> cited_works(Configuration const& run);

/// Returns the works of all entries and options.
std::vector<CitedWork> all_cited_works();

}  // namespace apsis::deck
