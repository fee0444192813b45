// SPDX-License-Identifier: Apache-2.0
#include <apsis/forces/direct.hpp>
#include <apsis/forces/solver.hpp>

namespace apsis::forces {

namespace {

template <class Number>
std::unique_ptr<Solver<typename Number::Stored>> make_direct(Gravity const& gravity,
                                                             Values const& values) {
  return std::make_unique<Direct<Number>>(gravity, values.text("kernel"));
}

Parameter kernel_parameter() {
  std::vector<std::string> names;
  for (auto const& kernel : kernels()) names.push_back(kernel.name);
  return choice("kernel", std::move(names), "how the pairs are swept; see 'apsis list'")
      .or_else(kernels().front().name);
}

}  // namespace

std::vector<SolverEntry> const& solvers() {
  static std::vector<SolverEntry> const table{
      {"direct",
       "all pairs, O(N^2), tiled; the same bits for any number of threads",
       {kernel_parameter()},
       make_direct<Single>,
       make_direct<Double>,
       make_direct<Mixed>},
  };
  return table;
}

}  // namespace apsis::forces
