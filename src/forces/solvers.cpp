// SPDX-License-Identifier: Apache-2.0
#include <apsis/forces/direct.hpp>
#include <apsis/forces/solver.hpp>

namespace apsis::forces {

namespace {
template <template <class> class Method, class Real>
std::unique_ptr<Solver<Real>> make(Gravity const& gravity) {
  return std::make_unique<Method<Real>>(gravity);
}

template <template <class> class Method>
SolverEntry entry(std::string name, std::string doc) {
  return {std::move(name), std::move(doc), make<Method, float>, make<Method, double>};
}
}  // namespace

std::vector<SolverEntry> const& solvers() {
  static std::vector<SolverEntry> const table{
      entry<Direct>("direct", "all pairs, O(N^2), tiled; the same bits for any number of threads"),
  };
  return table;
}

}  // namespace apsis::forces
