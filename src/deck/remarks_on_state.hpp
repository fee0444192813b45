// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/deck/remarks.hpp>

#include <string>
#include <vector>

namespace apsis::deck {

/// Appends notes on energies, speeds and coordinates that are probably unintended: unbound systems,
/// velocities per day, coordinates that single precision cannot resolve. O(N), with a sample of the
/// potential over at most a few million pairs.
void remark_on_state(Configuration const& run, HostBodies const& bodies, Scales const& scales,
                     std::vector<std::string>& remarks);

}  // namespace apsis::deck
