// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "benchmark/bench.hpp"
#include "commands.hpp"
#include <apsis/forces/precision.hpp>

#include <cstddef>
#include <functional>
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

struct BenchOptions {
  std::string bodies, preset, snapshots, beside, json;
  std::string memory = "device", solver = "direct";
  std::vector<std::string> precisions, kernels, predict;
  std::optional<double> accuracy;
  int steps = 10;
  bool sweep = false, render = false, few = false, strong = false, weak = false;
  bool share_gpus = false;
  std::optional<int> threads;
};

/// Reports that an option of `bench` needs the program of bench/, and how to get it.
[[noreturn]] void refuse_without_program(std::string const& option);

using AddRow = std::function<void(files::Record)>;

/// Measures kernels, or nothing with `render`, prints a table and writes the file of results.
/// `others` measures more afterwards, and adds its rows to that file one by one.
ExitStatus bench_kernels(BenchOptions const& options, benchmark::Request const& request,
                         std::function<void(AddRow const&)> const& others = {});

}  // namespace apsis::cli
