// SPDX-License-Identifier: Apache-2.0
#include "hermite.hpp"

#include "entries.hpp"

namespace apsis::integrators {

namespace {

template <class Real>
using Hermite4 = Hermite<Real, 4>;
template <class Real>
using Hermite6 = Hermite<Real, 6>;

HermiteOptions options_of(Values const& values) {
  return {static_cast<int>(values.integer("corrections"))};
}

Parameter corrections() {
  return integer("corrections", "evaluations and corrections per step, the n of P(EC)^n")
      .at_least(1)
      .at_most(10)
      .with_default(std::int64_t{1});
}

template <class Real>
std::unique_ptr<Stepper<Real>> blocks(Values const& values, BlockSteps const& steps) {
  return make_hermite_block<Real>(options_of(values), steps);
}

}  // namespace

IntegratorEntry hermite4_entry() {
  auto method = entry<Hermite4>(
      "hermite4", "Hermite scheme of accelerations and jerks: order 4; shared or block steps", 4,
      Structure::none, {corrections()}, HermiteColumns<double, 4>::vectors, options_of);
  method.derivatives = 1;
  method.extra_forces.velocities = true;
  method.criterion = "aarseth";
  method.make_block_single = blocks<float>;
  method.make_block_double = blocks<double>;
  method.cite = {"MakinoAarseth1992"};
  return method;
}

IntegratorEntry hermite6_entry() {
  auto method = entry<Hermite6>(
      "hermite6", "Hermite scheme of accelerations, jerks and snaps: order 6", 6, Structure::none,
      {corrections()}, HermiteColumns<double, 6>::vectors, options_of);
  method.derivatives = 2;
  method.criterion = "nitadori_makino";
  method.cite = {"NitadoriMakino2008"};
  return method;
}

}  // namespace apsis::integrators
