// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"
#include <apsis/forces/precision.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// What `bench` and `compare` ask for in the same words. All throw usage errors.
namespace apsis::cli {

/// "N" or "first:last:factor".
std::vector<std::size_t> body_counts(std::string const& text);

/// Names of precisions; "all" or none at all means every one.
std::vector<forces::Precision> chosen_precisions(std::vector<std::string> const& names);

/// Names of kernels that this executable has; "all" means every one.
std::vector<std::string> chosen_kernels(std::vector<std::string> const& names, bool reference_too);

/// Refuses more bodies than this machine's memory holds with a solver. Kokkos must be initialised.
void check_bodies_fit(std::vector<std::size_t> const& bodies, std::string const& option,
                      std::string const& solver);

/// Whether a solver is fmm, if it is one that can be measured.
bool chooses_fmm(std::string const& solver);
/// What is promised by the solver, if one is given fmm's or none. Refuses what that cannot promise
/// in each of these precisions.
double chosen_accuracy(std::optional<double> given, bool fmm,
                       std::vector<forces::Precision> const& precisions);
Option solver_option(std::string& solver);
/// The option has an effect only with the solver fmm. Both references outlive it.
Option accuracy_option(std::optional<double>& accuracy, std::string const& solver);

}  // namespace apsis::cli
