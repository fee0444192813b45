// SPDX-License-Identifier: Apache-2.0
#include "body_tables.hpp"

#include "core/decimal.hpp"
#include "diagnostics/binaries.hpp"
#include <apsis/core/text.hpp>
#include <apsis/diagnostics/orbital_elements.hpp>
#include <apsis/diagnostics/pair_distances.hpp>
#include <apsis/simulation/whole_bodies.hpp>

#include <algorithm>
#include <numeric>

namespace apsis::run {

namespace {

using BodyRow = std::vector<deck::Cell>;

/// Returns a list such as "0, 1, 2, ... 99".
std::string first_ids(HostBodies const& bodies) {
  std::string text;
  std::size_t const shown = std::min<std::size_t>(bodies.size(), 3);
  for (std::size_t i = 0; i < shown; ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(bodies.id[i]);
  }
  return bodies.size() > shown ? text + ", ... " + std::to_string(bodies.id.back()) : text;
}

[[noreturn]] void refuse_id(HostBodies const& bodies, std::string const& id,
                            std::string const& where) {
  throw Error(ExitStatus::bad_input,
              Problem{"diagnostics." + where, "no body has the id " + id,
                      "they have the ids " + first_ids(bodies), "give existing ids"});
}

[[noreturn]] void refuse_name(HostBodies const& bodies, std::string const& name,
                              std::string const& where) {
  std::vector<std::string> known;
  for (auto const& other : bodies.name) {
    if (!other.empty() && known.size() < 12) known.push_back(other);
  }
  auto const close = nearest(name, known);
  throw Error(ExitStatus::bad_input,
              Problem{"diagnostics." + where, "no body has the name '" + name + "'",
                      known.empty() ? "no body has a name" : "names: " + quoted_list(known),
                      close.empty() ? "give the name or the id of a body"
                                    : "did you mean '" + close + "'?"});
}

template <class Id>
std::optional<std::size_t> find_id(HostBodies const& bodies, Id id) {
  auto const match = std::find_if(bodies.id.begin(), bodies.id.end(), [&](std::uint64_t candidate) {
    return static_cast<Id>(candidate) == id;
  });
  if (match == bodies.id.end()) return std::nullopt;
  return static_cast<std::size_t>(match - bodies.id.begin());
}

std::vector<TableColumn> orbit_columns(Values const& values) {
  using dimension::none;
  std::vector<TableColumn> columns{
      {"semi_major_axis", "a; negative for a hyperbola", dimension::length},
      {"eccentricity", "e"},
      {"inclination", "of the angular momentum to z", none, "deg"},
      {"ascending_node", "its longitude from x", none, "deg"},
      {"argument_of_pericenter", "angle from the node to pericentre", none, "deg"},
      {"true_anomaly", "angle from pericentre", none, "deg"},
      {"mean_anomaly", "360 times the part of a period since pericentre", none, "deg"},
      {"period", "infinite if not bound", dimension::time},
      id_column()};
  if (has_names(values)) columns.push_back(name_column());
  return columns;
}

/// Rows of the bodies about whose centre of mass the orbits of a table are.
std::vector<std::size_t> primaries_of(Values const& values, HostBodies const& bodies) {
  if (!values.has("primary")) return {0};
  return rows_in(bodies, values.text("primary"));
}

std::vector<std::vector<deck::Cell>> orbit_rows(Values const& values, simulation::Instant& now) {
  auto const& bodies = now.bodies();
  bool const jacobi = values.text("about") == "jacobi";
  auto const chosen = rows_of(bodies, values.numbers("bodies"));
  auto const primaries = jacobi ? std::vector<std::size_t>{} : primaries_of(values, bodies);
  if (!jacobi && primaries.empty()) return {};  // they are gone
  auto const is_primary = [&](std::size_t i) {
    return std::find(primaries.begin(), primaries.end(), i) != primaries.end();
  };
  std::vector<BodyRow> rows;
  // The centre of the orbits: chosen bodies, or all bodies before the present one.
  RunningCentre attractor;
  for (std::size_t const i : primaries) {
    if (i == primaries.front()) {
      attractor = {bodies.mass[i], bodies.position[i], bodies.velocity[i]};
    } else {
      attractor.add(bodies.mass[i], bodies.position[i], bodies.velocity[i]);
    }
  }
  std::size_t added = 0;
  for (std::size_t const i : chosen) {
    if (jacobi) {
      if (i < added) attractor = {}, added = 0;  // the ids are not in the order of the bodies
      for (; added < i; ++added) {
        attractor.add(bodies.mass[added], bodies.position[added], bodies.velocity[added]);
      }
    }
    if (jacobi ? i == 0 : is_primary(i)) continue;
    auto const orbit = diagnostics::orbital_elements(now.G(), attractor.mass + bodies.mass[i],
                                                     bodies.position[i] - attractor.position,
                                                     bodies.velocity[i] - attractor.velocity);
    // In degrees, as in decks.
    constexpr double degrees = 180.0 / std::numbers::pi;
    rows.push_back({orbit.semi_major_axis, orbit.eccentricity, degrees * orbit.inclination,
                    degrees * orbit.ascending_node, degrees * orbit.argument_of_pericentre,
                    degrees * orbit.true_anomaly, degrees * orbit.mean_anomaly, orbit.period,
                    bodies.id[i]});
    if (has_names(values)) rows.back().emplace_back(bodies.name_of(i));
  }
  return rows;
}

void check_orbits(Values const& values, HostBodies const& bodies) {
  check_ids(bodies, values.numbers("bodies"), "orbital_elements.bodies");
  if (bodies.size() == 0 || !values.has("primary")) return;
  check_words(bodies, values.text("primary"), "orbital_elements.primary");
}

std::vector<TableColumn> trajectory_columns(Values const& values) {
  using dimension::length, dimension::velocity;
  std::vector<TableColumn> columns{id_column(),
                                   {"x", "x coordinate", length},
                                   {"y", "y coordinate", length},
                                   {"z", "z coordinate", length},
                                   {"vx", "x component of the velocity", velocity},
                                   {"vy", "y component of the velocity", velocity},
                                   {"vz", "z component of the velocity", velocity}};
  if (has_names(values)) columns.push_back(name_column());
  return columns;
}

std::vector<std::vector<deck::Cell>> trajectory_rows(Values const& values,
                                                     simulation::Instant& now) {
  auto const& bodies = now.bodies();
  std::vector<BodyRow> rows;
  for (std::size_t const i : rows_of(bodies, values.numbers("bodies"))) {
    auto const& x = bodies.position[i];
    auto const& v = bodies.velocity[i];
    rows.push_back({bodies.id[i], x.x, x.y, x.z, v.x, v.y, v.z});
    if (has_names(values)) rows.back().emplace_back(bodies.name_of(i));
  }
  return rows;
}

std::vector<TableColumn> nearest_columns(Values const& values) {
  std::vector<TableColumn> columns{id_column(),
                                   {"distance", "to the nearest other body", dimension::length},
                                   {"nearest_id", "id of that body", dimension::none, "", true}};
  if (has_names(values)) columns.push_back(name_column());
  return columns;
}

std::vector<std::vector<deck::Cell>> nearest_rows(Values const& values, simulation::Instant& now) {
  auto const& bodies = now.bodies();
  auto const& whole = now.whole();
  auto const nearest = diagnostics::nearest_bodies(whole.space, whole.read(), now.poll_callback());
  std::vector<BodyRow> rows;
  for (std::size_t const i : rows_of(bodies, values.numbers("bodies"))) {
    auto const& [index, distance] = nearest[i];
    rows.push_back({bodies.id[i], distance, bodies.id[std::isinf(distance) ? i : index]});
    if (has_names(values)) rows.back().emplace_back(bodies.name_of(i));
  }
  return rows;
}

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

std::optional<std::size_t> find_body(HostBodies const& bodies, std::string const& word) {
  std::uint64_t id = 0;
  if (read_decimal(word, id) == Numeral::good) return find_id(bodies, id);
  auto const match = std::find(bodies.name.begin(), bodies.name.end(), word);
  if (match == bodies.name.end() || word.empty()) return std::nullopt;
  return static_cast<std::size_t>(match - bodies.name.begin());
}

void check_body(HostBodies const& bodies, std::string const& word, std::string const& where) {
  if (find_body(bodies, word)) return;
  std::uint64_t id = 0;
  if (read_decimal(word, id) == Numeral::good) refuse_id(bodies, word, where);
  refuse_name(bodies, word, where);
}

void check_words(HostBodies const& bodies, std::string const& words, std::string const& where) {
  for (auto const& word : split_at_commas(words)) check_body(bodies, word, where);
}

std::vector<std::size_t> rows_in(HostBodies const& bodies, std::string const& words) {
  std::vector<std::size_t> rows;
  for (auto const& word : split_at_commas(words)) {
    if (auto const row = find_body(bodies, word)) rows.push_back(*row);
  }
  return rows;
}

void check_ids(HostBodies const& bodies, std::vector<double> const& ids, std::string const& where) {
  for (double const id : ids) {
    if (!find_id(bodies, id)) refuse_id(bodies, shortest(id), where);
  }
}

std::vector<std::size_t> rows_of(HostBodies const& bodies, std::vector<double> const& ids) {
  std::vector<std::size_t> rows;
  if (ids.empty()) {
    rows.resize(bodies.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    return rows;
  }
  for (double const id : ids) {
    if (auto const row = find_id(bodies, id)) rows.push_back(*row);
  }
  return rows;
}

Parameter body_ids_parameter() {
  return numbers("bodies", "ids of the bodies; default: all")
      .at_least(0.0)
      .with_default(std::vector<double>{});
}

Parameter names_parameter() {
  return boolean("names",
                 "write the name of each body, as the last column; default: whether a list, the "
                 "model or the format of a file names bodies");
}

bool has_names(Values const& values) {
  return values.has("names") && values.boolean("names");
}

TableColumn id_column() {
  return {"id", "of the body", dimension::none, "", true};
}

TableColumn name_column() {
  return {"name", "of the body", dimension::none, "", false, false, true};
}

deck::DiagnosticEntry orbital_elements_table() {
  return {"orbital_elements",
          "orbital_elements.csv",
          "the Kepler orbits of bodies about a primary or in Jacobi's coordinates, a row for each",
          {body_ids_parameter(),
           choice("about", {"primary", "jacobi"},
                  "centre of the orbits: primary: that of `primary`; jacobi: the centre of mass of "
                  "all previous bodies")
               .with_default(std::string("primary")),
           text("primary",
                "id or name of the primary, or those of several (\"A, B\") for their centre of "
                "mass; default: the first body")
               .or_whole_number(),
           names_parameter()},
          orbit_columns,
          orbit_rows,
          2,
          std::numeric_limits<std::uint64_t>::max(),
          check_orbits,
          simulation::measured_bodies};
}

deck::DiagnosticEntry nearest_bodies_table() {
  return {"nearest_bodies",
          "nearest_bodies.csv",
          "distance of each body to the nearest other body, a row for each",
          {body_ids_parameter(), names_parameter()},
          nearest_columns,
          nearest_rows,
          2,
          std::numeric_limits<std::uint64_t>::max(),
          [](Values const& values, HostBodies const& bodies) {
            check_ids(bodies, values.numbers("bodies"), "nearest_bodies.bodies");
          },
          simulation::measured_bodies | simulation::measured_neighbours};
}

deck::DiagnosticEntry trajectories_table() {
  return {"trajectories",
          "trajectories.csv",
          "positions and velocities of chosen bodies, a row for each",
          {body_ids_parameter(), names_parameter()},
          trajectory_columns,
          trajectory_rows,
          0,
          std::numeric_limits<std::uint64_t>::max(),
          [](Values const& values, HostBodies const& bodies) {
            check_ids(bodies, values.numbers("bodies"), "trajectories.bodies");
          },
          simulation::measured_bodies};
}

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
