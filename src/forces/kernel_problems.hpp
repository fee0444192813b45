// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/forces/solver_entry.hpp>

namespace apsis::forces {

/// Why a kernel of the ladder cannot do what is asked of it; empty if it can.
std::vector<Problem> kernel_problems(Demand const& of, std::string const& kernel);

}  // namespace apsis::forces
