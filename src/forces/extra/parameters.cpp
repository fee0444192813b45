// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"

namespace apsis::forces {

Parameter speed_of_light_parameter() {
  return number("c", "speed of light [length / time]; default: that of the units").above(0.0);
}
Parameter source_parameter(char const* name, char const* doc) {
  return integer(name, doc).at_least(0).at_most(0x1p53).with_default(std::int64_t{0});
}
std::uint64_t id_in(Values const& values, char const* name) {
  return static_cast<std::uint64_t>(values.integer(name));
}
double inverse_square(double c) {
  return 1.0 / (c * c);
}

}  // namespace apsis::forces
