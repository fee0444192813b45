// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/forces/solver_entry.hpp>

namespace apsis::forces {

/// Reasons why a kernel of the ladder does not meet the requirements; empty if it does.
std::vector<Problem> kernel_problems(Demand const& demand, std::string const& kernel);

}  // namespace apsis::forces
