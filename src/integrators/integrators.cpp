// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"

namespace apsis::integrators {

namespace {

std::vector<IntegratorEntry> make_table() {
  std::vector<IntegratorEntry> table{leapfrog_kdk_entry()};
  for (auto& entry : composition_entries()) table.push_back(std::move(entry));
  for (auto const make : {euler_entry, taylor2_entry, rk4_entry, hermite4_entry, hermite6_entry}) {
    table.push_back(make());
  }
  return table;
}

}  // namespace

Registry<IntegratorEntry> const& integrators() {
  static Registry<IntegratorEntry> const table("integrator", make_table());
  return table;
}

}  // namespace apsis::integrators
