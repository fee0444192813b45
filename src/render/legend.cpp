// SPDX-License-Identifier: Apache-2.0
#include "photographer.hpp"
#include "render/colour.hpp"
#include <apsis/bodies/host_bodies.hpp>

#include <array>

namespace apsis::render {

namespace {

Legend legend_of_species(Shot const& shot, std::size_t bodies,
                         std::vector<std::uint8_t> const& species) {
  std::array<bool, species_types::count> is_there{};
  for (auto const kind : species) {
    if (kind < is_there.size()) is_there.at(kind) = true;
  }
  if (species.empty() && bodies > 0) is_there[species_types::dark] = true;
  Legend legend;
  for (std::size_t kind = 0; kind < is_there.size(); ++kind) {
    bool const is_drawn = is_there.at(kind) && (!shot.species || *shot.species == kind);
    if (is_drawn) legend.entries.push_back({kinds.at(kind), species_types::names.at(kind)});
  }
  return legend;
}

Legend legend_of_remainders() {
  Legend legend;
  for (std::size_t k = 0; k < id_colours.size(); ++k) {
    legend.entries.push_back({id_colours.at(k), std::to_string(k)});
  }
  legend.quantity = "id modulo " + std::to_string(id_colours.size());
  return legend;
}

}  // namespace

Legend make_legend(ExecutionSpace const& space, Shot const& shot, Column<std::uint64_t> const& ids,
                   std::vector<std::uint8_t> const& species,
                   std::vector<std::string> const& names) {
  auto const bodies = ids.extent(0);
  if (shot.colour == ColourBy::species) return legend_of_species(shot, bodies, species);
  if (shot.colour != ColourBy::id) return {};
  if (bodies > most_listed_bodies) return legend_of_remainders();
  auto const host_ids = Kokkos::create_mirror_view(Kokkos::HostSpace(), ids);
  Kokkos::deep_copy(space, host_ids, ids);
  space.fence("apsis::render: ids for the legend");
  Legend legend;
  for (std::size_t i = 0; i < bodies; ++i) {
    bool const is_drawn =
        !shot.species || (species.empty() ? species_types::dark : species[i]) == *shot.species;
    if (!is_drawn) continue;
    auto const name = names.empty() ? std::string() : names[i];
    legend.entries.push_back({id_colours.at(host_ids(i) % id_colours.size()),
                              name.empty() ? "body " + std::to_string(host_ids(i)) : name});
  }
  return legend;
}

}  // namespace apsis::render
