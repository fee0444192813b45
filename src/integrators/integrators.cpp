// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"

namespace apsis::integrators {

namespace {

std::vector<IntegratorEntry> make_table() {
  auto table = composition_entries();
  for (auto const make : {euler_entry, taylor2_entry, rk4_entry, hermite4_entry, hermite6_entry,
                          wisdom_holman_entry, gauss_radau15_entry}) {
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
