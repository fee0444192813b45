// SPDX-License-Identifier: Apache-2.0
#include "kernel_problems.hpp"
#include <apsis/forces/direct.hpp>

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
std::unique_ptr<Solver<typename Number::Stored>> make_direct(Gravity const& gravity,
                                                             Values const& values) {
  return std::make_unique<Direct<Number>>(gravity, options_of(values));
}

Parameter kernel_parameter() {
  return choice("kernel", kernels().names(), "how the pairs are swept; see 'apsis list'")
      .or_else(kernels().front().name);
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
           check_direct,
           direct_workspace,
           make_direct<Single>,
           make_direct<Double>,
           make_direct<Mixed>},
      }};
  return table;
}

}  // namespace apsis::forces
