// SPDX-License-Identifier: Apache-2.0
#include "state.hpp"

#include <apsis/core/error.hpp>
#include <apsis/diagnostics/conservation.hpp>
#include <apsis/diagnostics/density_centre.hpp>
#include <apsis/diagnostics/orbital_elements.hpp>
#include <apsis/diagnostics/relative_error.hpp>
#include <apsis/simulation/field.hpp>
#include <apsis/simulation/measurements.hpp>

#include <algorithm>
#include <array>
#include <nanobind/stl/string.h>
#include <string>
#include <utility>
#include <vector>

namespace apsis::python {

namespace {

nb::tuple tuple_of(Vec3<double> const& v) {
  return nb::make_tuple(v.x, v.y, v.z);
}

}  // namespace

nb::dict measurement_of(simulation::Instant& now) {
  check_not_forked();
  auto const& measured = now.measure();
  nb::dict result;
  result["kinetic"] = measured.kinetic;
  result["potential"] = measured.potential;
  result["internal_kinetic"] = measured.internal_kinetic;
  result["mass"] = measured.mass;
  result["momentum"] = tuple_of(measured.momentum);
  result["angular_momentum"] = tuple_of(measured.angular_momentum);
  result["center_of_mass"] = tuple_of(measured.center_of_mass);
  result["virial_ratio"] = measured.virial_ratio();
  return result;
}

nb::dict event_of(simulation::Event const& event) {
  nb::dict result;
  result["kind"] = simulation::name_of(event.kind);
  result["time"] = event.time;
  result["first"] = event.first;
  result["second"] = event.second ? nb::cast(*event.second) : nb::none();
  result["distance"] = event.distance;
  result["speed"] = event.speed;
  return result;
}

nb::tuple field_at(simulation::Instant& now, Vectors const& points) {
  check_not_forked();
  auto field = simulation::field_at(now, vectors_of(points));
  return nb::make_tuple(array_of(field.acceleration), array_of(std::move(field.potential)));
}

nb::object closest_pair(simulation::Instant& now) {
  check_not_forked();
  auto const& ids = now.bodies().id;
  auto const pair = now.closest_approach();
  if (!pair) return nb::none();
  return nb::make_tuple(ids[pair->first], ids[pair->second], pair->distance);
}

nb::object density_centre(simulation::Instant& now) {
  check_not_forked();
  auto const& centre = simulation::density_centre(now);
  if (!centre) return nb::none();
  return nb::make_tuple(tuple_of(centre->position), centre->core_radius);
}

nb::tuple force_errors(simulation::Instant& now, std::uint64_t seed, std::size_t sample) {
  check_not_forked();
  auto const errors = simulation::force_errors(now, seed, sample);
  return nb::make_tuple(errors.median, errors.p99, errors.maximum);
}

nb::tuple orbits_about(simulation::Instant& now, std::vector<std::uint64_t> const& primaries) {
  check_not_forked();
  auto const& bodies = now.bodies();
  RunningCentre centre;
  std::vector<bool> is_primary(bodies.size());
  bool is_empty = true;
  auto const add = [&](std::size_t i) {
    // A centre without mass is the first body.
    if (std::exchange(is_empty, false)) centre = {0.0, bodies.position[i], bodies.velocity[i]};
    centre.add(bodies.mass[i], bodies.position[i], bodies.velocity[i]);
  };
  for (auto const id : primaries) {
    auto const place = std::find(bodies.id.begin(), bodies.id.end(), id);
    if (place == bodies.id.end()) {
      throw Error(ExitStatus::usage, {"orbits", "there is no body " + std::to_string(id), "",
                                      "give an id or a name of the bodies as primary"});
    }
    auto const i = static_cast<std::size_t>(place - bodies.id.begin());
    if (is_primary[i]) continue;
    is_primary[i] = true;
    add(i);
  }
  bool const is_jacobi = primaries.empty();
  std::vector<std::uint64_t> ids;
  std::array<std::vector<double>, 8> columns;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (is_primary[i]) continue;
    if (is_jacobi && i == 0) {
      add(i);
      continue;
    }
    auto const e = diagnostics::orbital_elements(now.G(), centre.mass + bodies.mass[i],
                                                 bodies.position[i] - centre.position,
                                                 bodies.velocity[i] - centre.velocity);
    double const elements[] = {
        e.semi_major_axis,        e.eccentricity, e.inclination,  e.ascending_node,
        e.argument_of_pericentre, e.true_anomaly, e.mean_anomaly, e.period};
    ids.push_back(bodies.id[i]);
    for (std::size_t k = 0; k < columns.size(); ++k) columns[k].push_back(elements[k]);
    if (is_jacobi) add(i);
  }
  nb::list arrays;
  arrays.append(array_of(std::move(ids)));
  for (auto& column : columns) arrays.append(array_of(std::move(column)));
  return nb::tuple(arrays);
}

}  // namespace apsis::python
