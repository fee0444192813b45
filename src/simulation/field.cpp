// SPDX-License-Identifier: Apache-2.0
#include "apsis/simulation/field.hpp"

#include <apsis/bodies/transfer.hpp>
#include <apsis/core/backend.hpp>
#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>
#include <apsis/forces/direct.hpp>
#include <apsis/simulation/whole_bodies.hpp>

#include <cmath>
#include <string>

namespace apsis::simulation {

namespace {

void check_points(std::vector<Vec3<double>> const& points) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    auto const& p = points[i];
    APSIS_VALIDATE(std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z),
                   {"points[" + std::to_string(i) + "]", "not finite",
                    "a coordinate is NaN or infinite", "give finite coordinates"});
  }
}

void check_softening(double softening, forces::Gravity const& gravity) {
  APSIS_VALIDATE(
      std::isfinite(softening) && softening >= 0.0,
      {"softening", "out of range", "it is " + shortest(softening), "give a length of at least 0"});
  APSIS_VALIDATE(softening == 0.0 || gravity.softening_kernel != forces::SofteningKernel::none,
                 {"softening", "must be 0", "gravity.softening_kernel is 'none'",
                  "choose another kernel in the deck"});
}

/// Returns the bodies with the softening length `eps`.
HostBodies with_length(HostBodies const& bodies, forces::Gravity const& gravity, double eps) {
  if (!gravity.softening_by_species) return bodies;
  HostBodies selected;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (gravity.softening_of(bodies.species_of(i)) != eps) continue;
    selected.mass.push_back(bodies.mass[i]);
    selected.position.push_back(bodies.position[i]);
    selected.velocity.push_back(bodies.velocity[i]);
    selected.id.push_back(bodies.id[i]);
  }
  return selected;
}

/// Adds the field of bodies with one softening length.
void add_field(HostBodies const& sources, forces::Gravity const& gravity,
               std::vector<Vec3<double>> const& points, FieldAtPoints& sum) {
  ExecutionSpace const space;
  Context const context(space);
  HostBodies places(points.size());
  places.position = points;
  auto const bodies = to_device<double>(space, sources);
  auto const targets = to_device<double>(space, places);
  Column<double> const potential("apsis::simulation::field::potential", points.size());
  auto request = forces::accelerations_of(bodies, &potential);
  request.wanted.acceleration = targets.acceleration;
  request.targets = {.position = targets.position,
                     .velocity = targets.velocity,
                     .acceleration = {},
                     .rows = forces::BodyRows::all(points.size()),
                     .total = points.size(),
                     .first = std::nullopt};
  request.counted = false;
  forces::Direct<forces::Double> solver(gravity);
  solver.evaluate(context, request);
  auto const a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), targets.acceleration);
  auto const phi = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), potential);
  for (std::size_t i = 0; i < points.size(); ++i) {
    sum.acceleration[i] = sum.acceleration[i] + Vec3<double>{a(i, 0), a(i, 1), a(i, 2)};
    sum.potential[i] += phi(i);
  }
}

}  // namespace

FieldAtPoints field_at(Instant& now, std::vector<Vec3<double>> const& points,
                       std::optional<double> softening) {
  check_points(points);
  FieldAtPoints field{std::vector<Vec3<double>>(points.size()), std::vector<double>(points.size())};
  auto const& bodies = now.bodies();
  auto gravity = now.whole().gravity;
  if (softening) {
    check_softening(*softening, gravity);
    gravity = gravity.with_one_length(*softening);
  }
  if (points.empty()) return field;
  auto const lengths = gravity.softening_by_species
                           ? forces::distinct_softening_lengths(*gravity.softening_by_species)
                           : std::vector{gravity.softening};
  for (double const eps : lengths) {
    auto const sources = with_length(bodies, gravity, eps);
    if (sources.size() > 0) add_field(sources, gravity.with_one_length(eps), points, field);
  }
  return field;
}

}  // namespace apsis::simulation
