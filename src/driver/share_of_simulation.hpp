// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/communicator.hpp>
#include <apsis/driver/simulation.hpp>

namespace apsis::driver {

/// As make_simulation() and restore_simulation(), of the bodies that one process has of `total`.
/// The first process gives all bodies and the state; what others give is not looked at.
std::unique_ptr<Simulation> make_share(Configuration const& run,
                                       std::shared_ptr<Communicator const> const& with,
                                       HostBodies const& start, std::size_t total);
std::unique_ptr<Simulation> restore_share(Configuration const& run,
                                          std::shared_ptr<Communicator const> const& with,
                                          std::size_t total, SavedState& state);

}  // namespace apsis::driver
