// SPDX-License-Identifier: Apache-2.0
#include "check_bodies.hpp"

#include "formats/text/columns.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace apsis::formats {

std::optional<std::pair<std::size_t, std::size_t>> repeated_id(
    std::vector<std::uint64_t> const& ids) {
  auto sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  auto const duplicate = std::adjacent_find(sorted.begin(), sorted.end());
  if (duplicate == sorted.end()) return std::nullopt;
  auto const first = std::find(ids.begin(), ids.end(), *duplicate);
  auto const second = std::find(first + 1, ids.end(), *duplicate);
  return std::pair{static_cast<std::size_t>(first - ids.begin()),
                   static_cast<std::size_t>(second - ids.begin())};
}

void number_anew(BodiesFile& file) {
  file.has_ids = false;
  std::iota(file.bodies.id.begin(), file.bodies.id.end(), std::uint64_t{0});
}

void check_memory(std::uint64_t bodies, double copies, std::string const& source,
                  std::uint64_t available) {
  double const need = static_cast<double>(bodies) * host_bytes_per_body * copies;
  auto const limit = static_cast<double>(available);
  APSIS_VALIDATE(need <= limit, {source, "does not fit in memory",
                                 std::to_string(bodies) + " bodies need " +
                                     formatted("%.3g GiB to be read, the host has %.3g GiB",
                                               need / 0x1p30, limit / 0x1p30),
                                 "use fewer bodies"});
}

namespace {
/// Lists the values of a body that are not finite; empty if all are finite.
std::string not_finite(HostBodies const& bodies, std::size_t i) {
  auto const [x, y, z] = bodies.position[i];
  auto const [vx, vy, vz] = bodies.velocity[i];
  std::array const values{bodies.mass[i], x, y, z, vx, vy, vz};
  std::string names;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (std::isfinite(values[k])) continue;
    names +=
        (names.empty() ? "" : ", ") + std::string(text_columns[k]) + " is " + shortest(values[k]);
  }
  return names;
}
}  // namespace

std::vector<Problem> problems_of(BodiesFile const& file, std::string const& source) {
  std::vector<Problem> problems;
  auto const& bodies = file.bodies;
  auto const place = [&](std::size_t i) {
    std::string const id = file.has_ids ? " (id " + std::to_string(bodies.id[i]) + ")" : "";
    return source + ": bodies[" + std::to_string(i) + "]" + id;
  };
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (problems.size() == max_problems_per_file) return problems;
    auto const names = not_finite(bodies, i);
    if (!names.empty()) {
      problems.push_back({place(i), "not finite", names, "remove or correct the body"});
    } else if (bodies.mass[i] < 0.0) {
      problems.push_back({place(i), "negative mass", "it is " + shortest(bodies.mass[i]),
                          "remove or correct the body"});
    } else if (!(bodies.radius_of(i) >= 0.0) || !std::isfinite(bodies.radius_of(i))) {
      problems.push_back({place(i), "invalid radius", "it is " + shortest(bodies.radius_of(i)),
                          "give a finite radius of at least 0"});
    }
  }
  auto const duplicates = file.has_ids ? repeated_id(bodies.id) : std::nullopt;
  if (duplicates) {
    problems.push_back({place(duplicates->second), "duplicate id",
                        "bodies[" + std::to_string(duplicates->first) + "] has it too",
                        "give every body an id of its own, or set bodies.ids to false (convert: "
                        "--ignore-ids)"});
  }
  return problems;
}

}  // namespace apsis::formats
