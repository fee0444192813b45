// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "module.hpp"
#include <apsis/simulation/events.hpp>
#include <apsis/simulation/whole_bodies.hpp>

#include <cstddef>
#include <cstdint>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <vector>

/// State and measurements of a simulation, and of the state that an observer receives.
namespace apsis::python {

nb::dict measurement_of(simulation::Instant& now);
nb::dict event_of(simulation::Event const& event);
nb::tuple field_at(simulation::Instant& now, Vectors const& points);
/// The ids of the nearest two bodies and their distance, or None.
nb::object closest_pair(simulation::Instant& now);
/// The density centre and the core radius, or None.
nb::object density_centre(simulation::Instant& now);
/// Median, 99th percentile and maximum of the errors of accelerations.
nb::tuple force_errors(simulation::Instant& now, std::uint64_t seed, std::size_t sample);
/// Returns ids and the elements of Kepler orbits, a column each: of all bodies but the primaries
/// about the centre of mass of these; without primaries of all bodies but the first, in Jacobi
/// coordinates, about the centre of mass of all bodies before.
nb::tuple orbits_about(simulation::Instant& now, std::vector<std::uint64_t> const& primaries);

/// Binds state and measurements to a class. Holder::now() returns the Instant.
template <class Holder>
void bind_state(nb::class_<Holder>& type) {
  using namespace nb::literals;
  type.def_prop_ro("time", [](Holder& holder) { return holder.now().time(); });
  type.def_prop_ro("step", [](Holder& holder) { return holder.now().step(); });
  type.def_prop_ro("count", [](Holder& holder) {
    auto const state = holder.now().state();
    return state.count - state.gone;
  });
  type.def_prop_ro("G", [](Holder& holder) { return holder.now().G(); });
  type.def_prop_ro("interactions", [](Holder& holder) { return holder.now().interactions(); });
  type.def_prop_ro("position", column_property<Holder, BodyColumn::position>);
  type.def_prop_ro("velocity", column_property<Holder, BodyColumn::velocity>);
  type.def_prop_ro("acceleration", column_property<Holder, BodyColumn::acceleration>);
  type.def_prop_ro("mass", column_property<Holder, BodyColumn::mass>);
  type.def_prop_ro("id", column_property<Holder, BodyColumn::id>);
  type.def_prop_ro("species", [](Holder& holder) { return species_of(holder.now()); });
  type.def("bodies", [](Holder& holder) {
    check_not_forked();
    auto columns = dictionary_of(holder.now().bodies());
    columns["species"] = species_of(holder.now());
    return columns;
  });
  type.def("measure", [](Holder& holder) { return measurement_of(holder.now()); });
  type.def_prop_ro("potential", [](Holder& holder) {
    check_not_forked();
    return array_of(holder.now().potential());
  });
  type.def(
      "field", [](Holder& holder, Vectors const& points) { return field_at(holder.now(), points); },
      "points"_a);
  type.def("closest_pair", [](Holder& holder) { return closest_pair(holder.now()); });
  type.def("density_centre", [](Holder& holder) { return density_centre(holder.now()); });
  type.def(
      "force_errors",
      [](Holder& holder, std::uint64_t seed, std::size_t sample) {
        return force_errors(holder.now(), seed, sample);
      },
      "seed"_a = 0, "sample"_a = 100);
  type.def(
      "orbits",
      [](Holder& holder, std::vector<std::uint64_t> const& primaries) {
        return orbits_about(holder.now(), primaries);
      },
      "primaries"_a);
  type.def_prop_ro("names", [](Holder& holder) {
    check_not_forked();
    return *holder.now().whole().names;
  });
  type.def_prop_ro("radius", [](Holder& holder) -> nb::object {
    check_not_forked();
    auto const& radius = *holder.now().whole().radius;
    return radius.empty() ? nb::none() : array_of(radius);
  });
}

}  // namespace apsis::python
