// SPDX-License-Identifier: Apache-2.0
#include <apsis/initial_conditions/model.hpp>

namespace apsis::initial_conditions {

namespace {
Parameter ratio_key(std::string const& rest) {
  return number("virial_ratio",
                "scale the velocities in the centre-of-mass frame so that K / |W| has this value, "
                "with the softening of the run: 1/2 in equilibrium; " +
                    rest);
}
}  // namespace

Parameter virial_ratio_key() {
  return ratio_key("default: velocities are not scaled").above(0.0);
}

Parameter virial_ratio_key(double default_ratio) {
  return ratio_key("0 is at rest").at_least(0.0).with_default(default_ratio);
}

std::optional<double> requested_virial_ratio(Values const& values) {
  return values.has("virial_ratio") ? std::optional(values.number("virial_ratio")) : std::nullopt;
}

}  // namespace apsis::initial_conditions
