// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "initial_conditions/orbit.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/parameter.hpp>

#include <optional>
#include <string>
#include <vector>

namespace apsis::initial_conditions {

/// Keys of one body of a list that describe its orbit.
std::vector<Parameter> orbit_parameters();

/// Returns the state of a body relative to the centre of its orbit, for `gravity` = G times the sum
/// of both masses. Precondition: has_orbit(body), and find_orbit_problem() finds nothing.
OrbitalState listed_state(Values const& body, double gravity);

/// Returns the first problem with the keys of a body that describe an orbit, or its position
/// without an orbit; nothing if they are valid. `where`: place of the body.
std::optional<Problem> find_orbit_problem(Values const& body, std::string const& where);

}  // namespace apsis::initial_conditions
