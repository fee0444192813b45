// SPDX-License-Identifier: Apache-2.0
#include "body_tables.hpp"
#include "diagnostics/binaries.hpp"
#include <apsis/simulation/simulation.hpp>
#include <apsis/simulation/whole_bodies.hpp>

#include <cmath>
#include <limits>

namespace apsis::run {

namespace {

constexpr std::size_t most_members = 4;

std::vector<TableColumn> binary_columns(Values const&) {
  using dimension::none;
  std::vector<TableColumn> columns{
      {"members", "2: binary; 3: binary and a body; 4: two binaries", none, "", true},
      {"id_1", "id of a body of the binary", none, "", true},
      {"id_2", "id of its other body", none, "", true},
      {"id_3", "id of the third body, or of one of the second binary", none, "", true},
      {"id_4", "id of the other body of the second binary", none, "", true},
      {"semi_major_axis", "a", dimension::length},
      {"eccentricity", "e"},
      {"period", "of the orbit", dimension::time},
      {"energy", "mutual energy, m1 m2 v^2 / (2 (m1 + m2)) - G m1 m2 / r", dimension::energy},
      {"hardness", "-energy / mean kinetic energy of the others (Heggie 1975)"},
      {"hard", "1 if hardness > 1, else 0", none, "", true}};
  return columns;
}

std::vector<std::vector<deck::Cell>> binary_rows(Values const&, simulation::Instant& now) {
  auto const& bodies = now.bodies();
  constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::vector<deck::Cell>> rows;
  for (auto const& orbit :
       diagnostics::bound_orbits(now.whole().space, bodies, now.G(), now.poll_callback())) {
    std::vector<deck::Cell> row{std::uint64_t{orbit.members.size()}};
    for (std::size_t k = 0; k < most_members; ++k) {
      if (k < orbit.members.size()) {
        row.emplace_back(bodies.id[orbit.members[k]]);
      } else {
        row.emplace_back(undefined);
      }
    }
    for (double const value :
         {orbit.semi_major_axis, orbit.eccentricity, orbit.period, orbit.energy, orbit.hardness}) {
      row.emplace_back(value);
    }
    if (std::isnan(orbit.hardness)) {
      row.emplace_back(undefined);
    } else {
      row.emplace_back(std::uint64_t{orbit.is_hard() ? 1U : 0U});
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

deck::DiagnosticEntry binaries_table() {
  return {"binaries",
          "binaries.csv",
          "bound pairs of nearest neighbours and hierarchical triples: a, e, energy, hard or soft",
          {},
          binary_columns,
          binary_rows,
          2,
          std::numeric_limits<std::uint64_t>::max(),
          nullptr,
          simulation::measured_bodies | simulation::measured_neighbours};
}

}  // namespace apsis::run
