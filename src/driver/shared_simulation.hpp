// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/communicator.hpp>
#include <apsis/driver/simulation.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace apsis::driver {

/// The leader's simulation of the bodies of all processes: each of its calls is told to the others,
/// which do the same to theirs. `make` makes the leader's own once the others were told to make
/// theirs, of `deck`; they restore it if it `restores`. An exception that does not come to all of
/// them alike leaves them in the middle of what is done together: then `torn` is true.
std::unique_ptr<Simulation> shared_simulation(
    std::shared_ptr<Communicator const> const& others, std::uint64_t number, bool& torn,
    std::string const& deck, Configuration const& run, std::size_t bodies, bool restores,
    std::function<std::unique_ptr<Simulation>()> const& make);

}  // namespace apsis::driver
