// SPDX-License-Identifier: Apache-2.0
#include "fmm/division.hpp"
#include "fmm/workspace.hpp"
#include "kernel_problems.hpp"
#include <apsis/core/text.hpp>
#include <apsis/forces/direct.hpp>
#include <apsis/forces/fmm.hpp>

#include <limits>

namespace apsis::forces {

namespace {

DirectOptions options_of(Values const& values) {
  DirectOptions options;
  if (values.has("kernel")) options.kernel = values.text("kernel");
  return options;
}

std::vector<Problem> check_direct(Demand const& of) {
  return kernel_problems(of, options_of(of.values).kernel);
}

double direct_workspace(Demand const& of, std::uint64_t bodies) {
  return workspace_bytes(of.precision, options_of(of.values).kernel, bodies, of.derivatives);
}

template <class Number>
std::unique_ptr<Solver<typename Number::Stored>> make_direct(Demand const& of) {
  return std::make_unique<Direct<Number>>(of.gravity, options_of(of.values));
}

Parameter kernel_parameter() {
  return choice("kernel", kernels().names(), "how the pairs are swept; see the command list")
      .or_else(kernels().front().name);
}

FmmOptions fmm_options(Values const& values) {
  FmmOptions options;
  if (values.has("accuracy")) options.accuracy = values.number("accuracy");
  if (values.has("order")) options.order = static_cast<int>(values.integer("order"));
  if (values.has("opening_angle")) options.opening_angle = values.number("opening_angle");
  if (values.has("opening_error")) options.opening_error = values.number("opening_error");
  return options;
}

/// An accuracy is looked after, or it is said what is opened.
std::vector<Problem> contradictions(Values const& values) {
  std::vector<std::string> given;
  for (auto const* name : {"accuracy", "opening_angle", "opening_error"}) {
    if (values.has(name)) given.emplace_back(name);
  }
  if (given.size() < 2) return {};
  return {{"gravity." + given[1], "contradicts gravity." + given[0],
           "each says which cells are opened", "leave one of them out"}};
}

std::vector<Problem> check_fmm(Demand const& of) {
  auto const options = fmm_options(of.values);
  if (auto problems = contradictions(of.values); !problems.empty()) return problems;
  if (!options.looks_after_accuracy()) return {};
  double const accuracy = options.accuracy;
  double const least = fmm::least_accuracy(of.precision);
  if (accuracy >= least) return {};
  std::string const precision = name_of(of.precision);
  bool const more = of.precision != Precision::double_precision;
  return {{"gravity.accuracy", "too small",
           "in " + precision + " precision errors of " + shortest(least) + " remain",
           "set at least " + shortest(least) +
               (more ? ", or set gravity.precision to 'double'" : ", or use the solver 'direct'")}};
}

double fmm_workspace(Demand const& of, std::uint64_t bodies) {
  return fmm::workspace_bytes(of.precision, fmm_options(of.values), bodies, of.of_some) +
         workspace_bytes(of.precision, DirectOptions().kernel, bodies, 0);
}

template <class Number>
std::unique_ptr<Solver<typename Number::Stored>> make_fmm(Demand const& of) {
  return std::make_unique<Fmm<Number>>(of.gravity, fmm_options(of.values));
}

std::uint64_t most_of_fmm(Demand const&) {
  return fmm::most_bodies - 1;
}

FmmOptions auto_options(Values const& values) {
  auto options = fmm_options(values);
  options.fewest = fmm::fewest_bodies(options.accuracy);
  return options;
}

std::vector<Problem> check_auto(Demand const& of) {
  return of.derivatives > 0 ? check_direct(of) : check_fmm(of);
}

double auto_workspace(Demand const& of, std::uint64_t bodies) {
  bool const few = of.derivatives > 0 || bodies < auto_options(of.values).fewest;
  return few ? direct_workspace(of, bodies) : fmm_workspace(of, bodies);
}

template <class Number>
std::unique_ptr<Solver<typename Number::Stored>> make_auto(Demand const& of) {
  if (of.derivatives > 0) return make_direct<Number>(of);
  return std::make_unique<Fmm<Number>>(of.gravity, auto_options(of.values));
}

std::uint64_t most_of_auto(Demand const& of) {
  return of.derivatives > 0 ? std::numeric_limits<std::uint64_t>::max() : most_of_fmm(of);
}

Parameter accuracy_parameter() {
  return number("accuracy",
                "relative errors of accelerations that 99 % of the bodies stay within (1e-3)")
      .above(0.0)
      .at_most(0.1);
}

std::vector<Parameter> fmm_parameters() {
  return {accuracy_parameter(),
          integer("order", "of the expansions; if not given, what is fastest for that accuracy")
              .at_least(4)
              .at_most(6),
          number("opening_angle",
                 "instead of an accuracy: cells are far whose radii are less of their distance")
              .above(0.0)
              .at_most(1.0),
          number("opening_error",
                 "instead of an accuracy: of the least pull in a cell, what another's may be off")
              .above(0.0)
              .at_most(1.0)};
}

}  // namespace

Registry<SolverEntry> const& solvers() {
  static Registry<SolverEntry> const table{
      "solver",
      {
          {"direct",
           "all pairs, O(N^2), tiled; the same bits for any number of threads",
           {kernel_parameter()},
           2,
           2,
           check_direct,
           direct_workspace,
           make_direct<Single>,
           make_direct<Double>,
           make_direct<Mixed>},
          {"fmm",
           "fast multipole method, O(N), to an accuracy; the same bits for any number of threads",
           fmm_parameters(), 0, 1, check_fmm, fmm_workspace, make_fmm<Single>, make_fmm<Double>,
           make_fmm<Mixed>, most_of_fmm},
          {"auto",
           "direct or fmm, whichever is faster for so many bodies and that accuracy",
           {accuracy_parameter()},
           2,
           1,
           check_auto,
           auto_workspace,
           make_auto<Single>,
           make_auto<Double>,
           make_auto<Mixed>,
           most_of_auto},
      }};
  return table;
}

}  // namespace apsis::forces
