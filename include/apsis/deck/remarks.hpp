// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/deck/configuration.hpp>
#include <apsis/diagnostics/system_scales.hpp>

#include <optional>
#include <string>
#include <vector>

namespace apsis::deck {

/// Scales of the bodies of a run, and of each part if it has several.
struct Scales {
  diagnostics::SystemScales whole;
  std::vector<diagnostics::SystemScales> parts;
};
/// Measures the scales. O(N log N).
Scales measure_scales(Configuration const& run, HostBodies const& bodies);

/// Returns the scales as lines of text for the user.
std::string bodies_text(Configuration const& run, Scales const& scales);

/// Returns notes on a valid deck that may not do what the user intends, one line each: unused
/// contents of files and the units assumed for their numbers, orbital elements where G is 1, masses
/// that are rescaled, parts with the same random numbers.
std::vector<std::string> remarks(Configuration const& run);

/// Returns notes on the bodies of a run: steps that are long compared with the time scales, a run
/// that ends at once, the pericentre time of a part, a virial ratio above 1. O(N), and the
/// potentials of a sample: 4e6 pairs, or 32 N where these are more.
std::vector<std::string> remarks(Configuration const& run, HostBodies const& bodies,
                                 Scales const& scales);

/// Returns a note if the centre of mass of bodies given by the user moves far during the run; it
/// names the key that prevents this.
std::optional<std::string> remark_on_drift(Configuration const& run, HostBodies const& bodies);

/// Whether many sampled bodies interact without softening and with fixed steps.
bool is_unsoftened(Configuration const& run);

}  // namespace apsis::deck
