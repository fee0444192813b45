// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"

namespace apsis::driver {

std::vector<ObserverEntry> const& observer_entries() {
  static std::vector<ObserverEntry> const table{conservation_log(), diagnostic_tables(),
                                                snapshots(), progress()};
  return table;
}

}  // namespace apsis::driver
