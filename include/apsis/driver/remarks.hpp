// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/diagnostics/system_scales.hpp>
#include <apsis/driver/configuration.hpp>

#include <optional>
#include <string>
#include <vector>

namespace apsis::driver {

/// What kind of system the bodies of a run are, and those of each part of it if it has several.
struct Scales {
  diagnostics::SystemScales whole;
  std::vector<diagnostics::SystemScales> parts;
};
/// O(N log N).
Scales scales_of(Configuration const& run, HostBodies const& bodies);

/// The same in lines for people.
std::string bodies_text(Configuration const& run, Scales const& scales);

/// What a user should know of a deck that is good and may yet be meant otherwise, a line each: what
/// of its files is not used and in which units their numbers are taken, orbits where G is 1, masses
/// that are multiplied, parts with the same random numbers.
std::vector<std::string> remarks(Configuration const& run);

/// The same of the bodies that were made of it: steps that are long against their times, a run that
/// ends at once, when a part comes to its pericentre. O(N).
std::vector<std::string> remarks(Configuration const& run, HostBodies const& bodies,
                                 Scales const& scales);

/// Bodies from outside whose centre of mass moves far in the run: who meant it to rest hears how.
std::optional<std::string> remark_on_drift(Configuration const& run, HostBodies const& bodies);

/// Whether many bodies meet without softening in steps that do not heed it.
bool is_unsoftened(Configuration const& run);

}  // namespace apsis::driver
