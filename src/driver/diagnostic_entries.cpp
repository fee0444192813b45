// SPDX-License-Identifier: Apache-2.0
#include <apsis/bodies/centre_of_mass.hpp>
#include <apsis/core/text.hpp>
#include <apsis/diagnostics/density_centre.hpp>
#include <apsis/diagnostics/force_error_sample.hpp>
#include <apsis/diagnostics/orbital_elements.hpp>
#include <apsis/diagnostics/pair_distances.hpp>
#include <apsis/diagnostics/structure.hpp>
#include <apsis/driver/configuration.hpp>
#include <apsis/driver/simulation.hpp>

namespace apsis::driver {

namespace {

using Columns = std::vector<TableColumn>;
using Row = std::vector<Cell>;

/// Of the density; of the mass where too few bodies have one.
Vec3<double> centre(Instant& now) {
  auto const& of_density = now.density_centre();
  return of_density ? of_density->position : centre_of_mass(now.bodies()).position;
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

Row lagrangian_row(Values const& values, Instant& now) {
  auto const c = centre(now);
  Row row{c.x, c.y, c.z};
  auto const radii = diagnostics::lagrangian_radii(now.bodies(), c, values.numbers("fractions"));
  row.insert(row.end(), radii.begin(), radii.end());
  return row;
}

Columns structure_columns(Values const&) {
  Columns columns{
      {"half_mass_radius", "radius about the centre with half of the mass", dimension::length},
      {"core_radius", "sqrt(sum rho^2 r^2 / sum rho^2) over six-neighbour densities rho",
       dimension::length}};
  for (auto& column : centre_columns()) columns.push_back(std::move(column));
  columns.push_back({"velocity_dispersion", "in one dimension, weighted with mass, of all bodies",
                     dimension::velocity});
  columns.push_back({"escapers", "bodies of positive energy about the centre of mass",
                     dimension::none, "", true});
  columns.push_back({"escaper_mass", "their mass", dimension::mass});
  return columns;
}

Row structure_row(Values const&, Instant& now) {
  auto const c = centre(now);
  auto const& of_density = now.density_centre();
  double const core =
      of_density ? of_density->core_radius : std::numeric_limits<double>::quiet_NaN();
  auto const escapers = diagnostics::escapers(now.bodies(), now.potential());
  return {diagnostics::lagrangian_radii(now.bodies(), c, {0.5}).front(),
          core,
          c.x,
          c.y,
          c.z,
          diagnostics::velocity_dispersion(now.bodies()),
          std::uint64_t{escapers.count},
          escapers.mass};
}

Columns pair_columns(Values const&) {
  return {{"minimum", "smallest distance of two bodies", dimension::length},
          {"mean", "mean distance over all pairs", dimension::length},
          {"maximum", "largest distance of two bodies", dimension::length},
          {"closest_id_1", "id of a body of the closest pair", dimension::none, "", true},
          {"closest_id_2", "id of the other", dimension::none, "", true}};
}

Row pair_row(Values const&, Instant& now) {
  auto const found = now.pair_distances().value();
  auto const& ids = now.bodies().id;
  return {found.closest.distance, found.mean, found.maximum, ids[found.closest.first],
          ids[found.closest.second]};
}

Columns orbit_columns(Values const&) {
  using dimension::none;
  return {{"semi_major_axis", "a; negative for a hyperbola", dimension::length},
          {"eccentricity", "e"},
          {"inclination", "of the angular momentum to z", none, "rad"},
          {"ascending_node", "its longitude from x", none, "rad"},
          {"argument_of_pericenter", "angle from the node to pericentre", none, "rad"},
          {"true_anomaly", "angle from pericentre", none, "rad"},
          {"mean_anomaly", "2 pi times the part of a period since pericentre", none, "rad"},
          {"period", "infinite if not bound", dimension::time}};
}

Row orbit_row(Values const&, Instant& now) {
  auto const& two = now.bodies();
  auto const of = diagnostics::orbital_elements(now.G(), two.mass[0] + two.mass[1],
                                                two.position[1] - two.position[0],
                                                two.velocity[1] - two.velocity[0]);
  return {of.semi_major_axis,        of.eccentricity, of.inclination,  of.ascending_node,
          of.argument_of_pericentre, of.true_anomaly, of.mean_anomaly, of.period};
}

Columns force_error_columns(Values const&) {
  return {{"median", "half of the bodies have no larger relative error"},
          {"p90", "90 % of the bodies have none larger"},
          {"p99", "99 % of the bodies have none larger"},
          {"maximum", "the largest relative error"}};
}

Row force_error_row(Values const& values, Instant& now) {
  auto const errors = now.force_errors(static_cast<std::uint64_t>(values.integer("seed")),
                                       static_cast<std::size_t>(values.integer("bodies")));
  return {errors.median, errors.p90, errors.p99, errors.maximum};
}

}  // namespace

Registry<DiagnosticEntry> const& diagnostic_entries() {
  static Registry<DiagnosticEntry> const table{
      "diagnostic",
      {{"lagrangian_radii",
        "lagrangian_radii.csv",
        "radii about the density centre that enclose fractions of the mass",
        {numbers("fractions", "fractions of the mass")
             .above(0.0)
             .at_most(1.0)
             .or_else(std::vector<double>{0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9})},
        lagrangian_columns,
        lagrangian_row},
       {"structure",
        "structure.csv",
        "half-mass and core radius (Casertano & Hut 1985), velocity dispersion, escapers",
        {},
        structure_columns,
        structure_row},
       {"pair_distances",
        "pair_distances.csv",
        "smallest, mean and largest distance over all pairs",
        {},
        pair_columns,
        pair_row,
        2},
       {"orbital_elements",
        "orbital_elements.csv",
        "the Kepler orbit of the second of two bodies about the first",
        {},
        orbit_columns,
        orbit_row,
        2,
        2},
       {"force_error_sample",
        "force_errors.csv",
        "relative errors of the forces on random bodies, against compensated sums in double",
        {integer("bodies", "how many bodies are drawn; all if there are no more")
             .at_least(1.0)
             .or_else(std::int64_t{100}),
         integer("seed", "of the draw, which is another at every step")
             .at_least(0.0)
             .or_else(std::int64_t{1})},
        force_error_columns,
        force_error_row}}};
  return table;
}

}  // namespace apsis::driver
