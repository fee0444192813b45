// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/communicator.hpp>
#include <apsis/core/reductions.hpp>
#include <apsis/driver/leader.hpp>
#include <apsis/driver/simulation.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace apsis::driver {

/// Whether there is no more than one block of bodies, so that all other ranks have none.
constexpr bool one_rank_has_all(std::size_t bodies) {
  return bodies <= fixed_sum_block;
}

/// Makes a simulation of the leader's own bodies, shared with the other ranks or with none.
using MakeOwn =
    std::function<std::unique_ptr<Simulation>(std::shared_ptr<Communicator const> const& with)>;

/// The leader's simulation of the bodies of all processes: each of its calls is told to the others,
/// which do the same to theirs. `make` makes the leader's own, shared with the communicator that it
/// is given, once the others were told to make theirs, of `deck`; they restore it if it `restores`.
/// An exception that does not come to all of them alike leaves them in the middle of what is done
/// together: then `torn` is true.
///
/// So few bodies that one rank has all of them are the leader's alone, without a communicator: the
/// other ranks would do nothing but wait in every sum. They still hear signals for it.
std::unique_ptr<Simulation> shared_simulation(std::shared_ptr<Communicator const> const& others,
                                              std::vector<Member> const& members,
                                              std::uint64_t number, bool& torn,
                                              std::string const& deck, Configuration const& run,
                                              std::size_t bodies, bool restores,
                                              MakeOwn const& make);

}  // namespace apsis::driver
