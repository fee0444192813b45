// SPDX-License-Identifier: Apache-2.0
#include "live_view.hpp"
#include "state.hpp"
#include <apsis/core/error.hpp>
#include <apsis/integrators/collision.hpp>
#include <apsis/simulation/leader.hpp>
#include <apsis/simulation/steered_simulation.hpp>

#include <cstdint>
#include <memory>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <string>
#include <utility>
#include <vector>

namespace apsis::python {

namespace {

using namespace nb::literals;

/// A simulation of Python. Its live view ends with it.
struct SteeredSimulation : simulation::SteeredSimulation, Counted {
  using simulation::SteeredSimulation::SteeredSimulation;
  explicit SteeredSimulation(simulation::SteeredSimulation restored)
      : simulation::SteeredSimulation(std::move(restored)) {}
  SteeredSimulation(SteeredSimulation&&) = default;
  ~SteeredSimulation() {
    if (is_forked()) {
      // Its memory stays: a forked process must not free memory of a device.
      new simulation::SteeredSimulation(static_cast<simulation::SteeredSimulation&&>(*this));
      return;
    }
    if (!live) return;
    nb::gil_scoped_release const release;
    live->close("the simulation is gone");
  }

  std::shared_ptr<LiveView> live;  ///< null until it is shown
};

/// Thrown by the poll of a step loop when Python has an exception for the caller, such as
/// KeyboardInterrupt.
struct PythonHasRaised {};

/// Calls steps(poll, step_poll) without Python's lock and raises what stopped them. The polls let
/// Python handle signals, and the live view follows whole steps.
template <class Steps>
auto without_lock(SteeredSimulation& simulation, Steps const& steps) {
  check_not_forked();
  auto const step_poll = [](double /*fraction*/) {
    nb::gil_scoped_acquire const lock;
    if (PyErr_CheckSignals() != 0) throw PythonHasRaised();
  };
  auto const poll = [&](double fraction) {
    if (simulation.live) simulation.live->follow(simulation.now());
    step_poll(fraction);
  };
  try {
    nb::gil_scoped_release const release;
    auto const result = steps(poll, step_poll);
    if (simulation.live) simulation.live->arrive(simulation.now());
    return result;
  } catch (PythonHasRaised const&) {
    if (simulation.live) simulation.live->arrive(simulation.now());
    throw nb::python_error();
  } catch (integrators::Collision const&) {
    if (simulation.live) simulation.live->arrive(simulation.now());
    throw;
  }
}

/// Throws an error if the bodies are not finite any more.
void check_finite(simulation::Simulation& now) {
  auto const body = now.not_finite();
  if (!body) return;
  throw Error(
      ExitStatus::internal,
      {"body " + std::to_string(body->index), "not finite after step " + std::to_string(body->step),
       body->what + " is NaN or infinite",
       "reduce integrator.time_step, or change gravity.softening or gravity.precision"});
}

void bind_live_view(nb::module_& extension, nb::class_<SteeredSimulation>& type) {
  nb::class_<LiveView> view(extension, "LiveView", "A page that shows a simulation.");
  view.def_prop_ro("is_open", &LiveView::is_open);
  view.def_prop_ro("url", &LiveView::url);
  view.def_prop_ro("viewers", &LiveView::viewers);
  view.def("close", &LiveView::close, "message"_a, nb::call_guard<nb::gil_scoped_release>());
  type.def(
      "show",
      [](SteeredSimulation& simulation, std::uint16_t port,
         std::vector<std::string> const& frames) {
        check_not_forked();
        simulation.live = std::make_shared<LiveView>(simulation, port, frames);
        return simulation.live;
      },
      "port"_a, "frames"_a);
  type.def("update_view", [](SteeredSimulation& simulation) {
    check_not_forked();
    if (simulation.live) simulation.live->rest(simulation.now());
  });
  type.def("show_measurement", [](SteeredSimulation& simulation) {
    if (simulation.live) simulation.live->add_measurement(simulation.now());
  });
}

void construct(SteeredSimulation* self, std::string const& deck, std::string const& source,
               std::vector<std::string> const& overrides, std::optional<nb::dict> const& bodies,
               std::optional<int> threads) {
  std::optional<HostBodies> given;
  if (bodies) given = bodies_of(*bodies);
  nb::gil_scoped_release const release;
  auto configured = deck::configure_simulation(deck, source, overrides, std::move(given));
  start_kokkos(threads);
  simulation::set_leader(configured, current_leader());
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
        auto const completed = without_lock(
            simulation, [&](auto const&... polls) { return simulation.advance(steps, polls...); });
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        check_finite(simulation.now());
        return completed;
      },
      "steps"_a = 1);
  type.def(
      "advance_to",
      [](SteeredSimulation& simulation, double time) {
        bool const reached = without_lock(simulation, [&](auto const&... polls) {
          return simulation.advance_to(time, polls...);
        });
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
        if (simulation.live) simulation.live->restart(simulation);
      },
      "bodies"_a);

  bind_live_view(extension, type);

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
  type.def_prop_ro("is_shared", [](SteeredSimulation& simulation) {
    return simulation.deck().configuration.leader != nullptr;
  });
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
        return SteeredSimulation(simulation::SteeredSimulation::restore(
            {bytes.c_str(), bytes.size()}, current_leader()));
      },
      "bytes"_a, "threads"_a = nb::none());
}

}  // namespace apsis::python
