// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>

#include <any>
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
