// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <vector>

namespace apsis::formats {

/// Note on formats that store bodies by species.
inline constexpr char const* order_is_lost =
    "the order of the bodies: they are written species by species";

/// Rows of the bodies ordered by `group` of their species, in their order within a group. O(N).
/// group(species) < species_types::count.
template <class Group>
std::vector<std::size_t> rows_by_group(HostBodies const& bodies, Group const& group) {
  std::array<std::size_t, species_types::count + 1> next{};
  for (std::size_t i = 0; i < bodies.size(); ++i) ++next[group(bodies.species_of(i)) + 1U];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<std::size_t> rows(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) rows[next[group(bodies.species_of(i))]++] = i;
  return rows;
}

/// Rows of the bodies ordered by species.
inline std::vector<std::size_t> rows_by_species(HostBodies const& bodies) {
  return rows_by_group(bodies, [](std::uint8_t species) { return species; });
}

/// Whether the bodies are ordered by species.
inline bool is_ordered_by_species(HostBodies const& bodies) {
  return std::is_sorted(bodies.species.begin(), bodies.species.end());
}

}  // namespace apsis::formats
