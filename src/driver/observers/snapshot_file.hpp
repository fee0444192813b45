// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "background.hpp"
#include <apsis/deck/configuration.hpp>
#include <apsis/io/snapshot.hpp>

#include <cstdint>
#include <string>

namespace apsis::driver {

/// Metadata of a snapshot of a run, but for the number of bodies. `deck`: the resolved deck.
io::SnapshotHeader snapshot_header(deck::Configuration const& run, std::string const& deck,
                                   double time, std::uint64_t step);

/// Writes copies of the bodies, see io::write_snapshot().
void write_snapshot(io::Place const& place, io::SnapshotHeader header, HostColumns const& copies);

}  // namespace apsis::driver
