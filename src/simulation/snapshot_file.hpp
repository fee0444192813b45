// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>

#include <any>
#include <cstdint>
#include <string>
#include <variant>

namespace apsis::simulation {

/// Copies of body columns in host memory to which a device copies fast. A thread reads them while
/// the run continues. Allocated and filled by copy_columns() (measurements.hpp).
struct HostColumns {
  /// Columns in the stored precision of the bodies.
  std::variant<ColumnSpans<float>, ColumnSpans<double>> columns;
  std::any memory;  ///< owns the memory of the columns
};

}  // namespace apsis::simulation

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
