// SPDX-License-Identifier: Apache-2.0
#include "body_tables.hpp"
#include "core/citation.hpp"
#include "diagnostics/force_error_sample.hpp"
#include "integrators/tangent_flow.hpp"
#include <apsis/core/text.hpp>
#include <apsis/diagnostics/pair_distances.hpp>
#include <apsis/simulation/measurements.hpp>

namespace apsis::run {

namespace {

using Columns = std::vector<TableColumn>;
using Row = std::vector<deck::Cell>;
using Rows = std::vector<Row>;

Columns pair_columns(Values const&) {
  return {{"minimum", "smallest distance of two bodies since the last row", dimension::length},
          {"mean", "mean distance over all pairs", dimension::length},
          {"maximum", "largest distance of two bodies", dimension::length},
          {"closest_id_1", "id of a body of the closest pair", dimension::none, "", true},
          {"closest_id_2", "id of the other", dimension::none, "", true}};
}

Rows pair_rows(Values const&, simulation::Instant& now) {
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

Rows force_error_rows(Values const& values, simulation::Instant& now) {
  auto const errors = force_errors(now, static_cast<std::uint64_t>(values.integer("seed")),
                                   static_cast<std::size_t>(values.integer("bodies")));
  return {{errors.median, errors.p90, errors.p99, errors.maximum}};
}

Columns potential_error_columns(Values const& values) {
  auto columns = error_columns(values);
  columns.push_back({"potential_energy", "relative error of the potential energy of these bodies"});
  return columns;
}

Rows potential_error_rows(Values const& values, simulation::Instant& now) {
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

Rows megno_rows(Values const&, simulation::Instant& now) {
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
      {cited(lagrangian_radii_table(), {"Apsis"}), cited(structure_table(), {"CasertanoHut1985"}),
       cited(
           deck::DiagnosticEntry{"pair_distances",
                                 "pair_distances.csv",
                                 "smallest distance since the last row, mean and largest distance, "
                                 "over all pairs except those of two massless bodies",
                                 {},
                                 pair_columns,
                                 pair_rows,
                                 2,
                                 unlimited,
                                 nullptr,
                                 simulation::measured_bodies | simulation::measured_pair_distances,
                                 nullptr,
                                 true},
           {"Apsis"}),
       cited(nearest_bodies_table(), {"Apsis"}), cited(binaries_table(), {"Heggie1975"}),
       cited(escapers_table(), {"Apsis"}), cited(orbital_elements_table(), {"Apsis"}),
       cited(trajectories_table(), {"Apsis"}), cited(transits_table(), {"Apsis"}),
       cited(deck::DiagnosticEntry{"megno",
                                   "megno.csv",
                                   "growth of a small displacement of the orbits of few bodies: "
                                   "MEGNO and Lyapunov exponent",
                                   {integer("seed",
                                            "random seed of the direction of the displacement")
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
             {"CincottaSimo2000", "Cincotta2003"}),
       cited(
           deck::DiagnosticEntry{
               "force_error_sample", "force_errors.csv",
               "relative errors of the forces on random bodies, against compensated sums in double",
               sample_parameters(), error_columns, force_error_rows, 0, unlimited, nullptr,
               simulation::measured_bodies | simulation::measured_forces |
                   simulation::measured_reference,
               sample_size},
           {"Apsis"}),
       cited(
           deck::DiagnosticEntry{
               "potential_error_sample", "potential_errors.csv",
               "relative errors of the potentials of random bodies, and of their potential energy",
               sample_parameters(), potential_error_columns, potential_error_rows, 0, unlimited,
               nullptr,
               simulation::measured_bodies | simulation::measured_potential |
                   simulation::measured_reference,
               sample_size},
           {"Apsis"})}};
  return table;
}

}  // namespace

}  // namespace apsis::run

namespace apsis::deck {

Registry<DiagnosticEntry> const& diagnostic_entries() {
  return run::all_entries();
}

}  // namespace apsis::deck
