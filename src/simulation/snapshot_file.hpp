// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace apsis::deck {
struct Configuration;
}
namespace apsis::files {
class Place;
}
namespace apsis::formats {
struct SnapshotHeader;
}

namespace apsis::simulation {

struct HostColumns;

/// Metadata of a snapshot of a run, but for the number of bodies. `deck`: the resolved deck.
formats::SnapshotHeader snapshot_header(deck::Configuration const& run, std::string const& deck,
                                        double time, std::uint64_t step);

/// Writes copies of the bodies, see formats::write_snapshot().
void write_snapshot(files::Place const& place, formats::SnapshotHeader header,
                    HostColumns const& copies);

}  // namespace apsis::simulation
