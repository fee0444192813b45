// SPDX-License-Identifier: Apache-2.0
#include "forces/direct/kernel_problems.hpp"
#include "forces/fmm/tree/cell_tree.hpp"
#include "forces/fmm/tuning.hpp"
#include "forces/fmm_or_direct.hpp"
#include <apsis/core/text.hpp>
#include <apsis/forces/direct.hpp>

#include <limits>

namespace apsis::forces {

namespace {

DirectOptions options_of(Values const& values) {
  DirectOptions options;
  if (values.has("kernel")) options.kernel = values.text("kernel");
  return options;
}

std::vector<Problem> check_direct(Demand const& demand) {
  return kernel_problems(demand, options_of(demand.values).kernel);
}

double direct_workspace(Demand const& demand, std::uint64_t bodies) {
  return workspace_bytes(demand.precision, options_of(demand.values).kernel, bodies,
                         demand.derivatives);
}

/// Makes a solver of the class `Kind` for the precision of the demand.
template <template <class Number> class Kind, class Options>
AnySolver make_solver(Demand const& demand, Options const& options) {
  return in_precision(demand.precision, [&]<class Number>(Number) -> AnySolver {
    return std::make_unique<Kind<Number>>(demand.gravity, options);
  });
}

AnySolver make_direct(Demand const& demand) {
  return make_solver<Direct>(demand, options_of(demand.values));
}

Parameter kernel_parameter() {
  return choice("kernel", kernels().names(), "all-pairs kernel; see the command list")
      .with_default(kernels().front().name);
}

FmmOptions fmm_options(Values const& values) {
  FmmOptions options;
  if (values.has("accuracy")) options.accuracy = values.number("accuracy");
  if (values.has("order")) options.order = static_cast<int>(values.integer("order"));
  if (values.has("opening_angle")) options.opening_angle = values.number("opening_angle");
  if (values.has("opening_error")) options.opening_error = values.number("opening_error");
  return options;
}

/// Either the accuracy is controlled, or the acceptance criterion is set.
std::vector<Problem> contradictions(Values const& values) {
  std::vector<std::string> present;
  for (auto const* name : {"accuracy", "opening_angle", "opening_error"}) {
    if (values.has(name)) present.emplace_back(name);
  }
  if (present.size() < 2) return {};
  return {{"gravity." + present[1], "contradicts gravity." + present[0],
           "each sets the acceptance criterion of cells", "leave one of them out"}};
}

std::vector<Problem> check_fmm(Demand const& demand) {
  auto const options = fmm_options(demand.values);
  if (auto problems = contradictions(demand.values); !problems.empty()) return problems;
  if (demand.needs_exact_forces) {
    return {{"gravity.solver", "contradicts integrator.name",
             "'" + demand.integrator_name + "' needs forces that are exact to rounding",
             "set it to 'direct' or 'auto', or choose another integrator"}};
  }
  if (!options.controls_accuracy()) return {};
  double const accuracy = options.accuracy;
  double const smallest = fmm::smallest_accuracy(demand.precision);
  if (accuracy >= smallest) return {};
  std::string const precision = name_of(demand.precision);
  bool const has_higher_precision = demand.precision != Precision::double_precision;
  return {{"gravity.accuracy", "too small",
           "in " + precision + " precision errors of " + shortest(smallest) + " remain",
           "set at least " + shortest(smallest) +
               (has_higher_precision ? ", or set gravity.precision to 'double'"
                                     : ", or use the solver 'direct'")}};
}

double fmm_workspace(Demand const& demand, std::uint64_t bodies) {
  return fmm::workspace_bytes(demand.precision, fmm_options(demand.values), bodies,
                              demand.has_subset_requests) +
         workspace_bytes(demand.precision, DirectOptions().kernel, bodies, 0);
}

AnySolver make_fmm(Demand const& demand) {
  return make_solver<FmmOrDirect>(demand, fmm_options(demand.values));
}

std::uint64_t max_fmm_bodies(Demand const&) {
  return fmm::max_bodies - 1;
}

FmmOptions auto_options(Values const& values) {
  auto options = fmm_options(values);
  options.min_bodies = fmm::min_bodies(options.accuracy);
  return options;
}

/// Whether `auto` is `direct` for any number of bodies.
bool needs_direct(Demand const& demand) {
  return demand.derivatives > 0 || demand.needs_exact_forces;
}

std::vector<Problem> check_auto(Demand const& demand) {
  return needs_direct(demand) ? check_direct(demand) : check_fmm(demand);
}

double auto_workspace(Demand const& demand, std::uint64_t bodies) {
  bool const is_direct = needs_direct(demand) || bodies < auto_options(demand.values).min_bodies;
  return is_direct ? direct_workspace(demand, bodies) : fmm_workspace(demand, bodies);
}

AnySolver make_auto(Demand const& demand) {
  if (needs_direct(demand)) return make_direct(demand);
  return make_solver<FmmOrDirect>(demand, auto_options(demand.values));
}

std::uint64_t max_auto_bodies(Demand const& demand) {
  return needs_direct(demand) ? std::numeric_limits<std::uint64_t>::max() : max_fmm_bodies(demand);
}

Parameter accuracy_parameter() {
  return number("accuracy", "maximum relative error of accelerations, 99th percentile (1e-3)")
      .above(0.0)
      .at_most(0.1);
}

std::vector<Parameter> fmm_parameters() {
  return {
      accuracy_parameter(),
      integer("order", "order of the expansions; default: the fastest for the accuracy")
          .at_least(4)
          .at_most(6),
      number("opening_angle",
             "alternative to accuracy: largest ratio of the radii of two cells to their distance")
          .above(0.0)
          .at_most(1.0),
      number("opening_error",
             "alternative to accuracy: maximum error of one cell-cell interaction, relative to the "
             "smallest acceleration in the target cell")
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
           make_direct,
           nullptr,
           {"Nyland2007"}},
          {"fmm",
           "fast multipole method, O(N), to an accuracy; the same bits for any number of threads",
           fmm_parameters(),
           0,
           1,
           check_fmm,
           fmm_workspace,
           make_fmm,
           max_fmm_bodies,
           {"GreengardRokhlin1987", "Dehnen2002", "Dehnen2014"}},
          {"auto",
           "direct or fmm, whichever is faster for the number of bodies and the accuracy",
           {accuracy_parameter()},
           2,
           1,
           check_auto,
           auto_workspace,
           make_auto,
           max_auto_bodies,
           {"Nyland2007", "GreengardRokhlin1987", "Dehnen2002", "Dehnen2014"}},
      }};
  return table;
}

}  // namespace apsis::forces
