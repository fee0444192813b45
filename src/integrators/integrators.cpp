// SPDX-License-Identifier: Apache-2.0
#include <apsis/integrators/euler.hpp>
#include <apsis/integrators/leapfrog.hpp>

namespace apsis::integrators {

namespace {
template <template <class> class Method, class Real>
std::unique_ptr<Integrator<Real>> make(Values const& values) {
  return std::make_unique<Method<Real>>(values);
}

template <template <class> class Method>
IntegratorEntry entry(std::string name, std::string doc, int order,
                      std::vector<Parameter> parameters) {
  return {std::move(name),       std::move(doc),      order,
          std::move(parameters), make<Method, float>, make<Method, double>};
}
}  // namespace

std::vector<IntegratorEntry> const& integrators() {
  static std::vector<IntegratorEntry> const table{
      entry<LeapfrogKdk>("leapfrog_kdk", "leapfrog, kick-drift-kick: order 2, symplectic", 2, {}),
      entry<Euler>(
          "euler", "semi-implicit Euler of the CUDA nbody sample: order 1", 1,
          {number("damping", "factor on the velocities after each kick; 1 conserves energy")
               .above(0.0)
               .at_most(1.0)
               .or_else(1.0)}),
  };
  return table;
}

}  // namespace apsis::integrators
