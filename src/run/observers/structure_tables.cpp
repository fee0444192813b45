// SPDX-License-Identifier: Apache-2.0
#include "body_tables.hpp"
#include "diagnostics/structure.hpp"
#include <apsis/core/text.hpp>
#include <apsis/diagnostics/density_centre.hpp>
#include <apsis/simulation/measurements.hpp>

namespace apsis::run {

namespace {

using Columns = std::vector<TableColumn>;
using Row = std::vector<deck::Cell>;
using Rows = std::vector<Row>;

/// Bodies with a density centre and a row of their own.
struct Group {
  deck::Cell label{};
  HostBodies bodies;
  std::vector<double> potential;  ///< of each body, if requested [length^2 / time^2]
};

template <class IsMember>
Group select_bodies(HostBodies const& bodies, std::vector<double> const* potential,
                    IsMember const& is_member) {
  Group group;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!is_member(i)) continue;
    group.bodies.mass.push_back(bodies.mass[i]);
    group.bodies.position.push_back(bodies.position[i]);
    group.bodies.velocity.push_back(bodies.velocity[i]);
    group.bodies.id.push_back(bodies.id[i]);
    group.bodies.species.push_back(bodies.species_of(i));
    if (potential != nullptr) group.potential.push_back((*potential)[i]);
  }
  return group;
}

std::string const& grouping(Values const& values) {
  return values.text("each");
}

/// The last part with a first id up to the body's id; nothing for a smaller id.
std::optional<std::size_t> part_of(std::vector<double> const& first_ids, std::uint64_t id) {
  auto const next = std::upper_bound(first_ids.begin(), first_ids.end(), static_cast<double>(id));
  if (next == first_ids.begin()) return std::nullopt;
  return static_cast<std::size_t>(next - first_ids.begin()) - 1;
}

/// Returns the bodies of each species that has bodies, or of each part, also of an empty one.
std::vector<Group> groups_of(Values const& values, HostBodies const& bodies,
                             std::vector<double> const* potential) {
  std::vector<Group> groups;
  if (grouping(values) == "part") {
    auto const& first_ids = values.numbers("first_ids");
    for (std::size_t part = 0; part < first_ids.size(); ++part) {
      groups.push_back(select_bodies(bodies, potential, [&](std::size_t i) {
        return part_of(first_ids, bodies.id[i]) == part;
      }));
      groups.back().label = std::uint64_t{part};
    }
    return groups;
  }
  for (std::size_t kind = 0; kind < species_types::count; ++kind) {
    if (!bodies.has_species(static_cast<std::uint8_t>(kind))) continue;
    groups.push_back(select_bodies(bodies, potential,
                                   [&](std::size_t i) { return bodies.species_of(i) == kind; }));
    groups.back().label = std::string(species_types::names.at(kind));
  }
  return groups;
}

/// Centre and core radius [length] of a table's rows.
struct Centre {
  Vec3<double> position;
  double core_radius;
};

/// Density centre; centre of mass if there are too few bodies for it.
Centre centre_of(HostBodies const& bodies,
                 std::optional<diagnostics::DensityCentre> const& density) {
  if (density) return {density->position, density->core_radius};
  return {centre_of_mass(bodies).position, std::numeric_limits<double>::quiet_NaN()};
}

/// Calls row(centre, bodies, potential) for all bodies, or for each group, followed by its label.
template <class MakeRow>
Rows rows_of_groups(Values const& values, simulation::Instant& now, bool needs_potential,
                    MakeRow const& make_row) {
  auto const* const potential = needs_potential ? &now.potential() : nullptr;
  static std::vector<double> const none;
  if (grouping(values) == "all") {
    return {make_row(centre_of(now.bodies(), density_centre(now)), now.bodies(),
                     potential != nullptr ? *potential : none)};
  }
  Rows rows;
  for (auto const& group : groups_of(values, now.bodies(), potential)) {
    if (group.bodies.size() == 0) continue;
    auto const centre = centre_of(group.bodies, density_centre(now, group.bodies));
    rows.push_back(make_row(centre, group.bodies, group.potential));
    rows.back().push_back(group.label);
  }
  return rows;
}

Columns centre_columns() {
  std::string const doc = "density centre (of mass if fewer than seven bodies), ";
  return {{"center_x", doc + "x coordinate", dimension::length},
          {"center_y", doc + "y coordinate", dimension::length},
          {"center_z", doc + "z coordinate", dimension::length}};
}

/// Appends the column of the group, if rows are grouped.
void append_label(Values const& values, Columns& columns) {
  if (grouping(values) == "species") {
    columns.push_back({"species", "of the bodies", dimension::none, "", false, false, true});
  } else if (grouping(values) == "part") {
    columns.push_back({"part", "number of the part, from 0", dimension::none, "", true});
  }
}

std::vector<Parameter> group_parameters() {
  return {
      choice("each", {"all", "species", "part"},
             "bodies of a row: all of them; or a row for each species or each part of a composite, "
             "about its own density centre")
          .with_default(std::string("all")),
      numbers("first_ids",
              "with `each` part: first id of each part, ascending; default: those of bodies.parts")
          .at_least(0.0)};
}

void check_groups(Values const& values, HostBodies const& bodies, std::string const& table) {
  if (!values.has("first_ids") || bodies.size() == 0) return;
  auto const& first_ids = values.numbers("first_ids");
  auto const refuse = [&](std::string const& problem, std::string const& why) {
    throw Error(ExitStatus::bad_input, Problem{"diagnostics." + table + ".first_ids", problem, why,
                                               "give the first id of each part"});
  };
  if (grouping(values) != "part") refuse("without effect", "`each` is '" + grouping(values) + "'");
  if (std::adjacent_find(first_ids.begin(), first_ids.end(), std::greater_equal<>()) !=
      first_ids.end()) {
    refuse("not ascending", "each part has the ids up to the first of the next part");
  }
}

Columns lagrangian_columns(Values const& values) {
  auto columns = centre_columns();
  for (double const fraction : values.numbers("fractions")) {
    auto const name = shortest(fraction);
    columns.push_back({"r_" + name,
                       "radius about the centre of a sphere with " + name + " of the mass",
                       dimension::length});
  }
  append_label(values, columns);
  return columns;
}

void check_lagrangian(Values const& values, HostBodies const& bodies) {
  check_groups(values, bodies, "lagrangian_radii");
  if (!values.has("species") || bodies.size() == 0) return;
  auto const& name = values.text("species");
  auto const& names = species_types::names;
  auto const kind = std::find(names.begin(), names.end(), name) - names.begin();
  APSIS_VALIDATE(
      bodies.has_species(static_cast<std::uint8_t>(kind)),
      {"diagnostics.lagrangian_radii.species", "no body is of the species '" + name + "'",
       "its table would be empty", "give another, or none for all bodies"});
  APSIS_VALIDATE(grouping(values) != "species",
                 {"diagnostics.lagrangian_radii.species", "contradicts `each`",
                  "with 'species' there is a row for each species", "leave one of them out"});
}

Rows lagrangian_rows(Values const& values, simulation::Instant& now) {
  return rows_of_groups(
      values, now, false,
      [&](Centre const& centre, HostBodies const& bodies, std::vector<double> const&) {
        auto const& c = centre.position;
        auto const& fractions = values.numbers("fractions");
        auto const radii =
            values.has("species")
                ? diagnostics::lagrangian_radii(
                      select_bodies(bodies, nullptr,
                                    [&](std::size_t i) {
                                      return species_types::names.at(bodies.species_of(i)) ==
                                             values.text("species");
                                    })
                          .bodies,
                      c, fractions)
                : diagnostics::lagrangian_radii(bodies, c, fractions);
        Row row{c.x, c.y, c.z};
        row.insert(row.end(), radii.begin(), radii.end());
        return row;
      });
}

Columns structure_columns(Values const& values) {
  Columns columns{
      {"half_mass_radius", "radius about the centre with half of the mass", dimension::length},
      {"core_radius", "sqrt(sum rho^2 r^2 / sum rho^2) over six-neighbour densities rho",
       dimension::length}};
  for (auto& column : centre_columns()) columns.push_back(std::move(column));
  columns.push_back({"velocity_dispersion", "in one dimension, weighted with mass, of all bodies",
                     dimension::velocity, "", false, true});
  columns.push_back({"escapers", "bodies of positive energy about the centre of mass",
                     dimension::none, "", true});
  columns.push_back({"escaper_mass", "their mass", dimension::mass});
  append_label(values, columns);
  return columns;
}

void check_structure(Values const& values, HostBodies const& bodies) {
  check_groups(values, bodies, "structure");
}

Rows structure_rows(Values const& values, simulation::Instant& now) {
  return rows_of_groups(
      values, now, true,
      [](Centre const& centre, HostBodies const& bodies, std::vector<double> const& potential) {
        auto const& c = centre.position;
        auto const escapers = diagnostics::escapers(bodies, potential);
        return Row{diagnostics::lagrangian_radii(bodies, c, {0.5}).front(),
                   centre.core_radius,
                   c.x,
                   c.y,
                   c.z,
                   diagnostics::velocity_dispersion(bodies),
                   std::uint64_t{escapers.count},
                   escapers.mass};
      });
}

constexpr double default_half_mass_radii = 10.0;

Columns escaper_columns(Values const&) {
  return {{"id", "of the escaper", dimension::none, "", true},
          {"energy", "per mass, v^2 / 2 + phi, about the centre of mass", Dimension{0, 2, -2}},
          {"distance", "from the density centre", dimension::length},
          {"speed", "relative to the centre of mass", dimension::velocity}};
}

void check_escapers(Values const& values, HostBodies const&) {
  APSIS_VALIDATE(!values.has("radius") || !values.has("half_mass_radii"),
                 {"diagnostics.escapers.radius", "contradicts half_mass_radii",
                  "each of them is the distance of escapers", "keep one of them"});
}

Rows escaper_rows(Values const& values, simulation::Instant& now) {
  auto const& bodies = now.bodies();
  auto const centre = centre_of(bodies, density_centre(now)).position;
  double const factor =
      values.has("half_mass_radii") ? values.number("half_mass_radii") : default_half_mass_radii;
  double const radius = values.has("radius")
                            ? values.number("radius")
                            : factor * diagnostics::lagrangian_radii(bodies, centre, {0.5}).front();
  Rows rows;
  for (auto const& escaper :
       diagnostics::distant_escapers(bodies, now.potential(), centre, radius)) {
    rows.push_back({bodies.id[escaper.body], escaper.energy, escaper.distance, escaper.speed});
  }
  return rows;
}

}  // namespace

deck::DiagnosticEntry escapers_table() {
  return {"escapers",
          "escapers.csv",
          "bodies of positive energy beyond a distance from the density centre: id, energy, "
          "distance, speed",
          {positive("radius",
                    "distance beyond which unbound bodies are escapers, such as two tidal radii "
                    "[length]; default: half_mass_radii"),
           positive("half_mass_radii",
                    "the same distance in half-mass radii at the time of the row; default: " +
                        shortest(default_half_mass_radii))},
          escaper_columns,
          escaper_rows,
          0,
          std::numeric_limits<std::uint64_t>::max(),
          check_escapers,
          simulation::measured_bodies | simulation::measured_density_centre |
              simulation::measured_potential};
}

deck::DiagnosticEntry lagrangian_radii_table() {
  std::vector<Parameter> parameters{
      numbers("fractions", "fractions of the mass")
          .above(0.0)
          .at_most(1.0)
          .with_default(std::vector<double>{0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9}),
      choice("species", {species_types::names.begin(), species_types::names.end()},
             "use bodies of this species only, about the density centre of all")};
  for (auto& parameter : group_parameters()) parameters.push_back(std::move(parameter));
  return {"lagrangian_radii",
          "lagrangian_radii.csv",
          "radii about the density centre that enclose fractions of the mass",
          std::move(parameters),
          lagrangian_columns,
          lagrangian_rows,
          0,
          std::numeric_limits<std::uint64_t>::max(),
          check_lagrangian,
          simulation::measured_bodies | simulation::measured_density_centre};
}

deck::DiagnosticEntry structure_table() {
  return {"structure",
          "structure.csv",
          "half-mass and core radius (Casertano & Hut 1985), velocity dispersion, escapers",
          group_parameters(),
          structure_columns,
          structure_rows,
          0,
          std::numeric_limits<std::uint64_t>::max(),
          check_structure,
          simulation::measured_bodies | simulation::measured_density_centre |
              simulation::measured_potential};
}

}  // namespace apsis::run
