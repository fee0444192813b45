// SPDX-License-Identifier: Apache-2.0
#include "live_view.hpp"
#include "run/observers/body_tables.hpp"
#include "state.hpp"
#include <apsis/core/error.hpp>
#include <apsis/integrators/collision.hpp>
#include <apsis/simulation/leader.hpp>
#include <apsis/simulation/steered_simulation.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace apsis::python {

namespace {

using namespace nb::literals;

/// Rows of a table, each of the columns as an array or a list of texts.
nb::dict columns_of(std::vector<TableColumn> const& columns,
                    std::vector<std::vector<deck::Cell>> const& rows) {
  nb::dict result;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    nb::object values;
    if (columns[k].text) {
      nb::list texts;
      for (auto const& row : rows) texts.append(std::get<std::string>(row[k]));
      values = texts;
    } else if (columns[k].whole) {
      std::vector<std::uint64_t> numbers;
      for (auto const& row : rows) numbers.push_back(std::get<std::uint64_t>(row[k]));
      values = array_of(std::move(numbers));
    } else {
      std::vector<double> numbers;
      for (auto const& row : rows) numbers.push_back(std::get<double>(row[k]));
      values = array_of(std::move(numbers));
    }
    result[columns[k].name.c_str()] = values;
  }
  return result;
}

/// A table of the deck that follows every step, such as transits.
struct FollowedTable {
  deck::PlannedDiagnostic plan;
  deck::Configuration run;
  std::shared_ptr<run::StepRows> source;
  std::vector<std::vector<deck::Cell>> rows{};
};

/// Thread that uses a simulation, see SteeredSimulation::Use.
using Thread = std::thread::id;

/// A simulation of Python. Its live view ends with it.
struct SteeredSimulation : simulation::SteeredSimulation, Counted {
  explicit SteeredSimulation(deck::ConfiguredDeck configured)
      : simulation::SteeredSimulation(std::move(configured)) {
    follow_tables();
  }
  explicit SteeredSimulation(simulation::SteeredSimulation restored)
      : simulation::SteeredSimulation(std::move(restored)) {
    follow_tables();
  }
  SteeredSimulation(SteeredSimulation&& other) noexcept
      : simulation::SteeredSimulation(
            std::move(static_cast<simulation::SteeredSimulation&>(other))),
        live(std::move(other.live)),
        tables(std::move(other.tables)) {}
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

  /// The present state. Throws a usage error in another thread than one that makes steps.
  simulation::Simulation& now() {
    Thread const user = user_;
    if (user != Thread() && user != std::this_thread::get_id()) refuse();
    return simulation::SteeredSimulation::now();
  }

  /// Use by steps or changes. Throws a usage error if the simulation is in use.
  class Use {
   public:
    explicit Use(SteeredSimulation& simulation) : simulation_(simulation) {
      Thread nobody{};
      if (!simulation_.user_.compare_exchange_strong(nobody, std::this_thread::get_id())) refuse();
    }
    Use(Use const&) = delete;
    Use& operator=(Use const&) = delete;
    ~Use() { simulation_.user_ = Thread(); }

   private:
    SteeredSimulation& simulation_;
  };

  std::shared_ptr<LiveView> live;                      ///< null until it is shown
  std::shared_ptr<std::vector<FollowedTable>> tables;  ///< null if there are none

 private:
  [[noreturn]] static void refuse() {
    throw Error(ExitStatus::usage, {"simulation", "is in use", "a call of advance is making steps",
                                    "wait for it; a simulation is used by one thread at a time"});
  }

  /// Lets the tables of the deck that follow every step do so.
  void follow_tables() {
    auto const& run = deck().configuration;
    for (auto const& plan : run.diagnostics) {
      if (plan.entry->follow == nullptr) continue;
      if (!tables) tables = std::make_shared<std::vector<FollowedTable>>();
      tables->push_back({plan, run, nullptr});
    }
    if (!tables) return;
    for (auto& table : *tables)
      table.source = table.plan.entry->follow(table.plan.values, table.run);
    set_step_observer([followed = tables](simulation::Simulation& simulation) {
      run::RunStatus status{};
      status.step = simulation.step();
      status.time = simulation.time();
      for (auto& table : *followed) {
        for (auto& row : table.source->rows(simulation, status)) {
          table.rows.push_back(std::move(row));
        }
      }
    });
  }

  std::atomic<Thread> user_{};
};

/// Returns a table of the deck: the rows at the present time, or all rows so far of one that
/// follows every step.
nb::dict table_of(SteeredSimulation& simulation, std::string const& name) {
  check_not_forked();
  auto& now = simulation.now();
  auto const& plans = simulation.deck().configuration.diagnostics;
  auto const plan = std::find_if(plans.begin(), plans.end(),
                                 [&](auto const& each) { return each.entry->name == name; });
  if (plan == plans.end()) {
    throw Error(ExitStatus::usage, {"diagnostics." + name, "is not requested",
                                    "the deck of this simulation has no such table",
                                    "give the deck a section diagnostics with it"});
  }
  auto columns = plan->entry->columns(plan->values);
  if (plan->entry->follow == nullptr)
    return columns_of(columns, plan->entry->rows(plan->values, now));
  columns.insert(columns.begin(), {{"step", "", dimension::none, "", true}, {"time", ""}});
  for (auto const& table : *simulation.tables) {
    if (table.plan.entry == plan->entry) return columns_of(columns, table.rows);
  }
  return {};
}

/// Returns why the deck ended the last call early, or None.
nb::object stop_of(SteeredSimulation& simulation) {
  auto const& stop = simulation.stop();
  if (!stop) return nb::none();
  return nb::make_tuple(name_of(stop->reason), stop->ids, stop->distance,
                        simulation.now().time() + stop->offset);
}

/// Thrown by the poll of a step loop when Python has an exception for the caller, such as
/// KeyboardInterrupt.
struct PythonHasRaised {};

/// Calls steps(poll, step_poll) without Python's lock and raises what stopped them. The polls let
/// Python handle signals, and the live view follows whole steps.
template <class Steps>
auto without_lock(SteeredSimulation& simulation, Steps const& steps) {
  check_not_forked();
  SteeredSimulation::Use const use(simulation);
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
        simulation.now();
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
        SteeredSimulation::Use const use(simulation);
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
  type.def("stop", stop_of);
  // The largest errors of energy and momentum at the times that were judged.
  type.def("judged", [](SteeredSimulation& simulation) {
    simulation.now();
    auto const& conserved = simulation.conservation();
    auto const& limits = simulation.deck().configuration.limits;
    auto const broken = simulation::broken_limits(
        limits, conserved, conserved.first ? simulation.now().coarsest_passage() : std::nullopt);
    return nb::make_tuple(conserved.first && broken.any(), conserved.max_relative_energy_error,
                          conserved.max_momentum_error);
  });
  type.def("table", table_of, "name"_a);
  type.def("events", [](SteeredSimulation& simulation) {
    simulation.now();
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
