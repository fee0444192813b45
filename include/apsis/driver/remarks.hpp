// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/diagnostics/system_scales.hpp>
#include <apsis/driver/configuration.hpp>

#include <optional>
#include <string>
#include <vector>

namespace apsis::driver {

/// What a user should know of a deck that is good and may yet be meant otherwise, a line each: what
/// of its files is not used and in which units their numbers are taken, orbits where G is 1, masses
/// that are multiplied, parts with the same random numbers.
std::vector<std::string> remarks(Configuration const& run);

/// The same of the bodies that were made of it: steps that are long against their times, a run that
/// ends at once, when a part comes to its pericentre. O(N).
std::vector<std::string> remarks(Configuration const& run, HostBodies const& bodies,
                                 diagnostics::SystemScales const& scales);

/// Bodies from outside whose centre of mass moves far in the run: who meant it to rest hears how.
std::optional<std::string> remark_on_drift(Configuration const& run, HostBodies const& bodies);

/// Whether many bodies meet without softening in steps that do not heed it.
bool is_unsoftened(Configuration const& run);

}  // namespace apsis::driver
