// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"

#include <utility>

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

AddedEntries<IntegratorEntry>& added_integrators() {
  static AddedEntries<IntegratorEntry> added;
  return added;
}

}  // namespace

void add_integrator(IntegratorEntry entry) {
  added_integrators().add(std::move(entry));
}

Registry<IntegratorEntry> const& integrators() {
  static Registry<IntegratorEntry> const table("integrator",
                                               added_integrators().after(make_table()));
  return table;
}

}  // namespace apsis::integrators
