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
  return integer("corrections", "times that a step is evaluated and corrected, the n of P(EC)^n")
      .at_least(1)
      .at_most(10)
      .or_else(std::int64_t{1});
}

template <class Real>
std::unique_ptr<Stepper<Real>> blocks(Values const& values, BlockSteps const& steps) {
  return make_hermite_block<Real>(options_of(values), steps);
}

}  // namespace

IntegratorEntry hermite4_entry() {
  auto made = entry<Hermite4>(
      "hermite4", "Hermite scheme of accelerations and jerks: order 4; shared or block steps", 4,
      Kept::nothing, {corrections()}, HermiteColumns<double, 4>::vectors, options_of);
  made.derivatives = 1;
  made.criterion = "aarseth";
  made.make_block_single = blocks<float>;
  made.make_block_double = blocks<double>;
  return made;
}

IntegratorEntry hermite6_entry() {
  auto made = entry<Hermite6>(
      "hermite6", "Hermite scheme of accelerations, jerks and snaps: order 6", 6, Kept::nothing,
      {corrections()}, HermiteColumns<double, 6>::vectors, options_of);
  made.derivatives = 2;
  made.criterion = "nitadori_makino";
  return made;
}

}  // namespace apsis::integrators
