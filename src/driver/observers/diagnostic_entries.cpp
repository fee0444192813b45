// SPDX-License-Identifier: Apache-2.0
#include "body_tables.hpp"
#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/text.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/diagnostics/density_centre.hpp>
#include <apsis/diagnostics/force_error_sample.hpp>
#include <apsis/diagnostics/pair_distances.hpp>
#include <apsis/diagnostics/structure.hpp>
#include <apsis/driver/measurements.hpp>
#include <apsis/driver/simulation.hpp>
#include <apsis/integrators/tangent_flow.hpp>

#include <algorithm>
#include <limits>

namespace apsis::driver {

namespace {

using Columns = std::vector<TableColumn>;
using Row = std::vector<deck::Cell>;
using Rows = std::vector<Row>;

/// Density centre; centre of mass if there are too few bodies for it.
Vec3<double> centre(Instant& now) {
  auto const& density = density_centre(now);
  return density ? density->position : centre_of_mass(now.bodies()).position;
}

Columns centre_columns() {
  std::string const doc = "density centre (of mass if fewer than seven bodies), ";
  return {{"center_x", doc + "x coordinate", dimension::length},
          {"center_y", doc + "y coordinate", dimension::length},
          {"center_z", doc + "z coordinate", dimension::length}};
}

Columns lagrangian_columns(Values const& values) {
  auto columns = centre_columns();
  for (double const fraction : values.numbers("fractions")) {
    auto const name = shortest(fraction);
    columns.push_back({"r_" + name,
                       "radius about the centre of a sphere with " + name + " of the mass",
                       dimension::length});
  }
  return columns;
}

/// Returns the bodies of one species.
HostBodies select_species(std::string const& name, HostBodies const& bodies) {
  HostBodies chosen;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (species_types::names.at(bodies.species_of(i)) != name) continue;
    chosen.mass.push_back(bodies.mass[i]);
    chosen.position.push_back(bodies.position[i]);
  }
  return chosen;
}

void check_species(Values const& values, HostBodies const& bodies) {
  if (!values.has("species") || bodies.size() == 0) return;
  auto const& name = values.text("species");
  auto const& names = species_types::names;
  auto const kind = std::find(names.begin(), names.end(), name) - names.begin();
  APSIS_VALIDATE(
      bodies.has_species(static_cast<std::uint8_t>(kind)),
      {"diagnostics.lagrangian_radii.species", "no body is of the species '" + name + "'",
       "its table would be empty", "give another, or none for all bodies"});
}

Rows lagrangian_rows(Values const& values, Instant& now) {
  auto const c = centre(now);
  Row row{c.x, c.y, c.z};
  auto const& fractions = values.numbers("fractions");
  auto const radii = values.has("species")
                         ? diagnostics::lagrangian_radii(
                               select_species(values.text("species"), now.bodies()), c, fractions)
                         : diagnostics::lagrangian_radii(now.bodies(), c, fractions);
  row.insert(row.end(), radii.begin(), radii.end());
  return {row};
}

Columns structure_columns(Values const&) {
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
  return columns;
}

Rows structure_rows(Values const&, Instant& now) {
  auto const c = centre(now);
  auto const& density = density_centre(now);
  double const core = density ? density->core_radius : std::numeric_limits<double>::quiet_NaN();
  auto const escapers = diagnostics::escapers(now.bodies(), now.potential());
  return {{diagnostics::lagrangian_radii(now.bodies(), c, {0.5}).front(), core, c.x, c.y, c.z,
           diagnostics::velocity_dispersion(now.bodies()), std::uint64_t{escapers.count},
           escapers.mass}};
}

Columns pair_columns(Values const&) {
  return {{"minimum", "smallest distance of two bodies since the last row", dimension::length},
          {"mean", "mean distance over all pairs", dimension::length},
          {"maximum", "largest distance of two bodies", dimension::length},
          {"closest_id_1", "id of a body of the closest pair", dimension::none, "", true},
          {"closest_id_2", "id of the other", dimension::none, "", true}};
}

Rows pair_rows(Values const&, Instant& now) {
  auto const& distances = pair_distances(now);
  if (!distances) return {Row(5, std::numeric_limits<double>::quiet_NaN())};  // no pair with mass
  auto const& ids = now.bodies().id;
  return {{distances->closest.distance, distances->mean, distances->maximum,
           ids[distances->closest.first], ids[distances->closest.second]}};
}

Columns error_columns(Values const&) {
  return {{"median", "half of the bodies have no larger relative error"},
          {"p90", "90 % of the bodies have none larger"},
          {"p99", "99 % of the bodies have none larger"},
          {"maximum", "the largest relative error"}};
}

Rows force_error_rows(Values const& values, Instant& now) {
  auto const errors = force_errors(now, static_cast<std::uint64_t>(values.integer("seed")),
                                   static_cast<std::size_t>(values.integer("bodies")));
  return {{errors.median, errors.p90, errors.p99, errors.maximum}};
}

Columns potential_error_columns(Values const& values) {
  auto columns = error_columns(values);
  columns.push_back({"potential_energy", "relative error of the potential energy of these bodies"});
  return columns;
}

Rows potential_error_rows(Values const& values, Instant& now) {
  auto const errors = potential_errors(now, static_cast<std::uint64_t>(values.integer("seed")),
                                       static_cast<std::size_t>(values.integer("bodies")));
  auto const& bodies = errors.bodies;
  return {{bodies.median, bodies.p90, bodies.p99, bodies.maximum, errors.energy}};
}

std::vector<Parameter> sample_parameters() {
  return {integer("bodies", "number of sampled bodies; all if there are fewer")
              .at_least(1.0)
              .with_default(std::int64_t{100}),
          integer("seed", "random seed of the sample, which differs at every step")
              .at_least(0.0)
              .with_default(std::int64_t{1})};
}

std::size_t sample_size(Values const& values) {
  return static_cast<std::size_t>(values.integer("bodies"));
}

Columns megno_columns(Values const&) {
  return {
      {"megno", "MEGNO Y since the start (Cincotta & Simo 2000)"},
      {"mean_megno", "mean of Y over time: 2 for regular orbits, grows linearly for chaotic ones"},
      {"lyapunov_exponent", "mean growth rate of the tangent vector, 1 / Lyapunov time",
       Dimension{0, 0, -1}}};
}

Rows megno_rows(Values const&, Instant& now) {
  auto const megno = now.megno().value_or(integrators::Megno{});
  return {{megno.megno, megno.mean, megno.lyapunov_exponent}};
}

std::uint64_t tangent_seed(Values const& values) {
  return static_cast<std::uint64_t>(values.integer("seed"));
}

constexpr auto unlimited = std::numeric_limits<std::uint64_t>::max();

Registry<deck::DiagnosticEntry> const& all_entries() {
  static Registry<deck::DiagnosticEntry> const table{
      "diagnostic",
      {{"lagrangian_radii",
        "lagrangian_radii.csv",
        "radii about the density centre that enclose fractions of the mass",
        {numbers("fractions", "fractions of the mass")
             .above(0.0)
             .at_most(1.0)
             .with_default(std::vector<double>{0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9}),
         choice("species", {species_types::names.begin(), species_types::names.end()},
                "use bodies of this species only, about the density centre of all")},
        lagrangian_columns,
        lagrangian_rows,
        0,
        unlimited,
        check_species,
        measured_bodies | measured_density_centre},
       {"structure",
        "structure.csv",
        "half-mass and core radius (Casertano & Hut 1985), velocity dispersion, escapers",
        {},
        structure_columns,
        structure_rows,
        0,
        unlimited,
        nullptr,
        measured_bodies | measured_density_centre | measured_potential},
       {"pair_distances",
        "pair_distances.csv",
        "smallest distance since the last row, mean and largest distance, over all pairs except "
        "those of two massless bodies",
        {},
        pair_columns,
        pair_rows,
        2,
        unlimited,
        nullptr,
        measured_bodies | measured_pair_distances,
        nullptr,
        true},
       {"megno",
        "megno.csv",
        "growth of a small displacement of the orbits of few bodies: MEGNO and Lyapunov exponent",
        {integer("seed", "random seed of the direction of the displacement")
             .at_least(0.0)
             .with_default(std::int64_t{1})},
        megno_columns,
        megno_rows,
        2,
        integrators::TangentFlow::most_bodies,
        nullptr,
        0,
        nullptr,
        false,
        tangent_seed},
       orbital_elements_table(),
       trajectories_table(),
       {"force_error_sample", "force_errors.csv",
        "relative errors of the forces on random bodies, against compensated sums in double",
        sample_parameters(), error_columns, force_error_rows, 0, unlimited, nullptr,
        measured_bodies | measured_forces | measured_reference, sample_size},
       {"potential_error_sample", "potential_errors.csv",
        "relative errors of the potentials of random bodies, and of their potential energy",
        sample_parameters(), potential_error_columns, potential_error_rows, 0, unlimited, nullptr,
        measured_bodies | measured_potential | measured_reference, sample_size}}};
  return table;
}

}  // namespace

}  // namespace apsis::driver

namespace apsis::deck {

Registry<DiagnosticEntry> const& diagnostic_entries() {
  return driver::all_entries();
}

}  // namespace apsis::deck
