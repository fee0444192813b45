// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/io/snapshot.hpp>

#include <any>
#include <variant>

namespace apsis::driver {

/// Copies of the bodies in memory of the host that the device can reach fast, for a thread that
/// reads them while the run goes on. Instant::copy_to() allocates and fills them.
struct HostColumns {
  /// In the type that the bodies are stored in.
  std::variant<io::SnapshotColumns<float>, io::SnapshotColumns<double>> columns;
  std::any memory;  ///< of the columns
};

}  // namespace apsis::driver
