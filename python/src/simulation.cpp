// SPDX-License-Identifier: Apache-2.0
#include "state.hpp"
#include <apsis/core/error.hpp>
#include <apsis/driver/steered_simulation.hpp>

#include <cstdint>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <string>
#include <utility>
#include <vector>

namespace apsis::python {

namespace {

using namespace nb::literals;

/// A simulation of Python.
struct SteeredSimulation : driver::SteeredSimulation, Counted {
  using driver::SteeredSimulation::SteeredSimulation;
  explicit SteeredSimulation(driver::SteeredSimulation restored)
      : driver::SteeredSimulation(std::move(restored)) {}
};

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

}  // namespace

void bind_simulation(nb::module_& extension) {
  nb::class_<SteeredSimulation> type(extension, "Simulation",
                                     "A simulation in this process, see SteeredSimulation.");
  type.def("__init__", construct, "deck"_a, "source"_a = "deck",
           "overrides"_a = std::vector<std::string>(), "bodies"_a = nb::none(),
           "threads"_a = nb::none());

  // Evolution.
  type.def(
      "advance",
      [](SteeredSimulation& simulation, std::uint64_t steps) {
        auto const completed = without_lock([&] { return simulation.advance(steps, poll_python); });
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        check_finite(simulation.now());
        return completed;
      },
      "steps"_a = 1);
  type.def(
      "advance_to",
      [](SteeredSimulation& simulation, double time) {
        bool const reached = without_lock([&] { return simulation.advance_to(time, poll_python); });
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        check_finite(simulation.now());
        return reached;
      },
      "time"_a);
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
  bind_state(type);
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
  type.def("events", [](SteeredSimulation& simulation) {
    nb::list events;
    for (auto const& event : simulation.events()) events.append(event_of(event));
    return events;
  });

  // Files, pictures and saved states.
  type.def(
      "picture",
      [](SteeredSimulation& simulation, std::string const& look) {
        check_not_forked();
        auto const png = simulation.picture(look);
        return nb::bytes(png.data(), png.size());
      },
      "look"_a);
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
  extension.def(
      "restore",
      [](nb::bytes const& bytes, std::optional<int> threads) {
        start_kokkos(threads);
        return SteeredSimulation(driver::SteeredSimulation::restore({bytes.c_str(), bytes.size()}));
      },
      "bytes"_a, "threads"_a = nb::none());
}

}  // namespace apsis::python
