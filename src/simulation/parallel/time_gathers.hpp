// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/communicator.hpp>

#include <cstddef>
#include <vector>

namespace apsis::simulation {

/// Measures the wall time of each of `times` gathers of `bytes` bytes per rank, in the memory space
/// of the bodies [s]. Collective.
std::vector<double> time_gathers(Communicator const& communicator, std::size_t bytes, int times);

}  // namespace apsis::simulation
