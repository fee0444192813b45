// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/communicator.hpp>

#include <cstddef>
#include <vector>

namespace apsis::driver {

/// The time that each gather of so many bytes of each process takes, where the bodies live [s]. All
/// call it at once.
std::vector<double> echoed(Communicator const& with, std::size_t bytes, int times);

}  // namespace apsis::driver
