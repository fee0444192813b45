// SPDX-License-Identifier: Apache-2.0
#include "resolve.hpp"

namespace apsis::driver {

ConservationLimits resolve_conservation(Values const& conservation, DeckProblems& problems) {
  ConservationLimits limits{optional_number(conservation, "max_relative_energy_error"),
                            optional_number(conservation, "max_momentum_error")};
  if (!conservation.has("on_violation")) return limits;
  auto const& word = conservation.text("on_violation");
  limits.on_violation = word == "stop"    ? OnViolation::stop
                        : word == "retry" ? OnViolation::retry
                                          : OnViolation::report;
  bool const limited = limits.max_relative_energy_error || limits.max_momentum_error;
  if (!limited && limits.on_violation != OnViolation::report &&
      !problems.reported("conservation.max_")) {
    problems.add("conservation.on_violation", "'" + word + "' without a limit",
                 "there is nothing to violate", "give conservation.max_relative_energy_error");
  }
  return limits;
}

}  // namespace apsis::driver
