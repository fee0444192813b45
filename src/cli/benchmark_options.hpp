// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"
#include <apsis/forces/precision.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// Options shared by `bench` and `compare`. All functions throw usage errors.
namespace apsis::cli {

/// Parses "N" or "first:last:factor".
std::vector<std::size_t> parse_body_counts(std::string const& text);

/// Parses names of precisions; "all" or an empty list selects all of them.
std::vector<forces::Precision> parse_precisions(std::vector<std::string> const& names);

/// Parses names of kernels of this executable; "all" selects all of them.
std::vector<std::string> parse_kernels(std::vector<std::string> const& names, bool reference_too);

/// Refuses more bodies than fit in this machine's memory with a solver. Kokkos must be initialised.
void check_bodies_fit(std::vector<std::size_t> const& bodies, std::string const& option,
                      std::string const& solver);

/// Whether the solver is fmm. Refuses solvers that cannot be measured.
bool is_fmm(std::string const& solver);
/// Returns the accuracy of the solver fmm: the requested one, or its default. Refuses a value that
/// the solver cannot reach in each of these precisions.
double parse_accuracy(std::optional<double> requested, bool fmm,
                      std::vector<forces::Precision> const& precisions);
Option solver_option(std::string& solver);
/// The option is refused unless the solver is fmm. Both references must outlive it.
Option accuracy_option(std::optional<double>& accuracy, std::string const& solver);

}  // namespace apsis::cli
