// SPDX-License-Identifier: Apache-2.0
#include "module.hpp"
#include <apsis/core/error.hpp>
#include <apsis/diagnostics/conservation.hpp>
#include <apsis/diagnostics/density_centre.hpp>
#include <apsis/diagnostics/orbital_elements.hpp>
#include <apsis/diagnostics/pair_distances.hpp>
#include <apsis/diagnostics/relative_error.hpp>
#include <apsis/driver/field.hpp>
#include <apsis/driver/measurements.hpp>
#include <apsis/driver/steered_simulation.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <string>
#include <utility>
#include <vector>

namespace apsis::python {

namespace {

using driver::SteeredSimulation;
using namespace nb::literals;

/// Thrown by the poll of a step loop when Python has an exception for the caller, such as
/// KeyboardInterrupt.
struct PythonHasRaised {};

/// Lets Python handle signals while a step loop runs without its lock.
void poll_python(double /*fraction*/) {
  nb::gil_scoped_acquire const lock;
  if (PyErr_CheckSignals() != 0) throw PythonHasRaised();
}

/// Runs steps without Python's lock, and raises what stopped them.
template <class Steps>
auto without_lock(Steps const& steps) {
  check_not_forked();
  try {
    nb::gil_scoped_release const release;
    return steps();
  } catch (PythonHasRaised const&) {
    throw nb::python_error();
  }
}

/// Throws an error if the bodies are not finite any more.
void check_finite(driver::Simulation& now) {
  auto const body = now.not_finite();
  if (!body) return;
  throw Error(
      ExitStatus::internal,
      {"body " + std::to_string(body->index), "not finite after step " + std::to_string(body->step),
       body->what + " is NaN or infinite",
       "reduce integrator.time_step, or change gravity.softening or gravity.precision"});
}

nb::tuple tuple_of(Vec3<double> const& v) {
  return nb::make_tuple(v.x, v.y, v.z);
}

nb::dict measurement_of(driver::Instant& now) {
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

nb::dict event_of(driver::Event const& event) {
  nb::dict result;
  result["kind"] = driver::name_of(event.kind);
  result["time"] = event.time;
  result["first"] = event.first;
  result["second"] = event.second ? nb::cast(*event.second) : nb::none();
  result["distance"] = event.distance;
  result["speed"] = event.speed;
  return result;
}

/// Returns the ids of all other bodies and the elements of their orbits about one, a column each.
nb::tuple orbits_about(driver::Instant& now, std::uint64_t primary) {
  auto const& bodies = now.bodies();
  auto const place = std::find(bodies.id.begin(), bodies.id.end(), primary);
  if (place == bodies.id.end()) {
    throw Error(ExitStatus::usage, {"orbits", "there is no body " + std::to_string(primary), "",
                                    "give an id of the bodies as primary"});
  }
  auto const centre = static_cast<std::size_t>(place - bodies.id.begin());
  std::vector<double> ids;
  std::array<std::vector<double>, 8> columns;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (i == centre) continue;
    auto const e = diagnostics::orbital_elements(now.G(), bodies.mass[centre] + bodies.mass[i],
                                                 bodies.position[i] - bodies.position[centre],
                                                 bodies.velocity[i] - bodies.velocity[centre]);
    double const elements[] = {
        e.semi_major_axis,        e.eccentricity, e.inclination,  e.ascending_node,
        e.argument_of_pericentre, e.true_anomaly, e.mean_anomaly, e.period};
    ids.push_back(static_cast<double>(bodies.id[i]));
    for (std::size_t k = 0; k < columns.size(); ++k) columns[k].push_back(elements[k]);
  }
  nb::list arrays;
  arrays.append(array_of(std::move(ids)));
  for (auto& column : columns) arrays.append(array_of(std::move(column)));
  return nb::tuple(arrays);
}

void construct(SteeredSimulation* self, std::string const& deck, std::string const& source,
               std::vector<std::string> const& overrides, std::optional<nb::dict> const& bodies,
               std::optional<int> threads) {
  std::optional<HostBodies> given;
  if (bodies) given = bodies_of(*bodies);
  nb::gil_scoped_release const release;
  auto configured = deck::configure_simulation(deck, source, overrides, std::move(given));
  start_kokkos(threads);
  new (self) SteeredSimulation(std::move(configured));
}

template <BodyColumn column>
nb::object column_property(SteeredSimulation& simulation) {
  check_not_forked();
  return column_of(simulation.now(), column);
}

}  // namespace

void bind_simulation(nb::module_& module) {
  nb::class_<SteeredSimulation> type(module, "Simulation",
                                     "A simulation in this process, see SteeredSimulation.");
  type.def("__init__", construct, "deck"_a, "source"_a = "deck",
           "overrides"_a = std::vector<std::string>(), "bodies"_a = nb::none(),
           "threads"_a = nb::none());

  // Evolution.
  type.def(
      "advance",
      [](SteeredSimulation& simulation, std::uint64_t steps) {
        auto const made = without_lock([&] { return simulation.advance(steps, poll_python); });
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (made < steps) check_finite(simulation.now());
        return made;
      },
      "steps"_a = 1);
  type.def(
      "advance_to",
      [](SteeredSimulation& simulation, double time) {
        bool const reached = without_lock([&] { return simulation.advance_to(time, poll_python); });
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (!reached) check_finite(simulation.now());
        return reached;
      },
      "time"_a);
  type.def("check_finite", [](SteeredSimulation& simulation) { check_finite(simulation.now()); });
  type.def("reverse_time", [](SteeredSimulation& simulation) { simulation.now().reverse_time(); });
  type.def_prop_rw(
      "time_step", [](SteeredSimulation& simulation) { return simulation.now().state().time_step; },
      [](SteeredSimulation& simulation, double time_step) {
        APSIS_VALIDATE(time_step != 0.0 && time_step - time_step == 0.0,
                       {"time_step", "out of range", "it is 0 or not finite",
                        "give a number above 0, or below 0 for a run backwards in time"});
        simulation.now().set_time_step(time_step);
      });
  type.def(
      "set_bodies",
      [](SteeredSimulation& simulation, nb::dict const& bodies) {
        check_not_forked();
        simulation.set_bodies(bodies_of(bodies));
      },
      "bodies"_a);

  // State.
  type.def_prop_ro("time", [](SteeredSimulation& simulation) { return simulation.now().time(); });
  type.def_prop_ro("step", [](SteeredSimulation& simulation) { return simulation.now().step(); });
  type.def_prop_ro("count", [](SteeredSimulation& simulation) {
    auto const state = simulation.now().state();
    return state.count - state.gone;
  });
  type.def_prop_ro("G", [](SteeredSimulation& simulation) { return simulation.now().G(); });
  type.def_prop_ro("interactions",
                   [](SteeredSimulation& simulation) { return simulation.now().interactions(); });
  type.def_prop_ro("kernel",
                   [](SteeredSimulation& simulation) { return simulation.now().info().kernel; });
  type.def_prop_ro("threads",
                   [](SteeredSimulation& simulation) { return simulation.now().info().threads; });
  type.def_prop_ro("deck",
                   [](SteeredSimulation& simulation) { return simulation.deck().resolved; });
  type.def_prop_ro("unit_names", [](SteeredSimulation& simulation) {
    auto const& units = simulation.deck().configuration.units;
    return nb::make_tuple(units.length, units.mass, units.time);
  });
  type.def_prop_ro("position", column_property<BodyColumn::position>);
  type.def_prop_ro("velocity", column_property<BodyColumn::velocity>);
  type.def_prop_ro("acceleration", column_property<BodyColumn::acceleration>);
  type.def_prop_ro("mass", column_property<BodyColumn::mass>);
  type.def_prop_ro("id", column_property<BodyColumn::id>);
  type.def_prop_ro("species",
                   [](SteeredSimulation& simulation) { return species_of(simulation.now()); });
  type.def("bodies", [](SteeredSimulation& simulation) {
    check_not_forked();
    auto columns = dictionary_of(simulation.now().bodies());
    columns["species"] = species_of(simulation.now());
    return columns;
  });
  type.def("events", [](SteeredSimulation& simulation) {
    nb::list events;
    for (auto const& event : simulation.events()) events.append(event_of(event));
    return events;
  });

  // Measurements.
  type.def("measure",
           [](SteeredSimulation& simulation) { return measurement_of(simulation.now()); });
  type.def_prop_ro("potential", [](SteeredSimulation& simulation) {
    check_not_forked();
    return array_of(simulation.now().potential());
  });
  type.def(
      "field",
      [](SteeredSimulation& simulation, Vectors const& points) {
        check_not_forked();
        auto field = driver::field_at(simulation.now(), vectors_of(points));
        return nb::make_tuple(array_of(field.acceleration), array_of(std::move(field.potential)));
      },
      "points"_a);
  type.def("closest_pair", [](SteeredSimulation& simulation) -> nb::object {
    check_not_forked();
    auto const& ids = simulation.now().bodies().id;
    auto const pair = simulation.now().closest_approach();
    if (!pair) return nb::none();
    return nb::make_tuple(ids[pair->first], ids[pair->second], pair->distance);
  });
  type.def("density_centre", [](SteeredSimulation& simulation) -> nb::object {
    check_not_forked();
    auto const& centre = driver::density_centre(simulation.now());
    if (!centre) return nb::none();
    return nb::make_tuple(tuple_of(centre->position), centre->core_radius);
  });
  type.def(
      "force_errors",
      [](SteeredSimulation& simulation, std::uint64_t seed, std::size_t sample) {
        check_not_forked();
        auto const errors = driver::force_errors(simulation.now(), seed, sample);
        return nb::make_tuple(errors.median, errors.p99, errors.maximum);
      },
      "seed"_a = 0, "sample"_a = 100);

  type.def(
      "orbits",
      [](SteeredSimulation& simulation, std::uint64_t primary) {
        check_not_forked();
        return orbits_about(simulation.now(), primary);
      },
      "primary"_a);

  // Files and saved states.
  type.def(
      "snapshot",
      [](SteeredSimulation& simulation, std::string const& path, bool accelerations,
         bool potentials) {
        check_not_forked();
        simulation.write_snapshot(path, {.accelerations = accelerations, .potentials = potentials});
      },
      "path"_a, "accelerations"_a, "potentials"_a);
  type.def("save", [](SteeredSimulation& simulation) {
    check_not_forked();
    auto const bytes = simulation.save();
    return nb::bytes(bytes.data(), bytes.size());
  });
  module.def(
      "restore",
      [](nb::bytes const& bytes, std::optional<int> threads) {
        start_kokkos(threads);
        return SteeredSimulation::restore({bytes.c_str(), bytes.size()});
      },
      "bytes"_a, "threads"_a = nb::none());
}

}  // namespace apsis::python
