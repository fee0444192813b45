// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/driver/leader.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace apsis::driver {

/// All of them, in their order, on each of them. All call it at once.
std::vector<Member> members_of(Communicator const& with, Member const& own);

/// This rank, which cannot take part because of an error.
Member failed_member(Error const& error);
/// Whether each rank has memory for its share of `total` bodies of a run, which are `count` on this
/// rank. Collective: to be called before anything of the share is allocated. `own` is this rank;
/// the first rank throws instead of returning false.
bool all_have_memory(std::shared_ptr<Communicator const> const& with, Member own,
                     Configuration const& run, std::size_t count, std::size_t total);

/// Throws if a rank cannot take part, with the status of the first such rank; an internal error if
/// words, executables or devices are not those of the first rank, on which bits depend.
void expect_alike(std::vector<Member> const& members);
/// Throws a usage error if two use one accelerator.
void expect_own_devices(std::vector<Member> const& members);

/// "a: 2 x H100; b: 1 x H100".
std::string places_of(std::vector<Member> const& members);
/// Hosts on which more threads are to run than there are processors that their ranks may use, all
/// of them or those that some are bound to; empty if there are none.
std::string crowds_of(std::vector<Member> const& members);

}  // namespace apsis::driver
