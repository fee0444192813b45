// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/driver/leader.hpp>

#include <string>
#include <vector>

namespace apsis::driver {

/// All of them, in their order, on each of them. All call it at once.
std::vector<Member> members_of(Communicator const& with, Member const& own);

/// Throws an internal error if one cannot take part, or if words, executables or devices are not
/// those of the first, on which bits depend.
void expect_alike(std::vector<Member> const& members);
/// Throws a usage error if two use one accelerator.
void expect_own_devices(std::vector<Member> const& members);

/// "a: 2 x H100; b: 1 x H100".
std::string places_of(std::vector<Member> const& members);
/// Hosts where more threads want to run than there are processors; empty if there are none.
std::string crowds_of(std::vector<Member> const& members);

}  // namespace apsis::driver
