// SPDX-License-Identifier: Apache-2.0
#include "support/sample_bodies.hpp"
#include <apsis/core/saved_state.hpp>
#include <apsis/diagnostics/measurement.hpp>
#include <apsis/driver/configuration.hpp>
#include <apsis/driver/run_record.hpp>
#include <apsis/driver/simulation.hpp>
#include <apsis/integrators/integrator_entry.hpp>
#include <apsis/integrators/stepping.hpp>

#include <Kokkos_Core.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

/// Checks that each field of a saved state affects the resumed run. A field that is not saved or
/// restored then fails the comparison of a restored run with an uninterrupted one in the same
/// scenarios.
using namespace apsis;

namespace {

using Blocks = std::vector<StateBlock>;
using Overrides = std::vector<std::string>;

std::string const law = R"({"bodies": {"generator": "plummer", "count": 2, "seed": 1},
  "gravity": {"softening": 0.0625}, "run": {"steps": 1000},
  "integrator": {"name": "leapfrog_kdk", "time_step": 0.03125}})";

/// A run in variants of the deck: steps that the bodies shorten, and steps that no body shortens,
/// so that upper limits matter.
struct Scenario {
  HostBodies bodies;
  Overrides overrides;
  std::vector<std::string> variants{"integrator.time_step=0.5", "integrator.time_step=0.35",
                                    "integrator.time_step=0.0001220703125"};
};

template <class T>
void append(std::string& bytes, T const& value) {
  bytes.append(reinterpret_cast<char const*>(&value), sizeof value);
}
template <class T>
void append(std::string& bytes, std::vector<T> const& values) {
  bytes.append(reinterpret_cast<char const*>(values.data()), values.size() * sizeof(T));
}

/// Returns all observable state of a run, as bytes.
std::string seen(driver::Simulation& run) {
  std::string bytes;
  append(bytes, run.step());
  append(bytes, run.time());
  append(bytes, run.time_step());
  append(bytes, run.interactions());
  append(bytes, run.integrator_steps());
  append(bytes, run.massless().count);
  auto const& bodies = run.bodies();
  append(bytes, bodies.position);
  append(bytes, bodies.velocity);
  append(bytes, bodies.mass);
  append(bytes, bodies.id);
  append(bytes, bodies.species);
  append(bytes, run.measure());
  if (auto const errors = run.force_accuracy()) append(bytes, *errors);
  driver::ReaderBy accelerations([&](auto const& context, auto const& all, auto const&) {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), all.acceleration);
    context.space.fence();
    bytes.append(reinterpret_cast<char const*>(host.data()),
                 host.span() * sizeof(typename decltype(host)::value_type));
  });
  run.show(accelerations);
  return bytes;
}

Blocks state_of(driver::Simulation& run) {
  SavedState state;
  run.exchange(state);
  return state.blocks();
}

/// Runs up to the saved state, including a reversal of time and a roll-back.
void begin(driver::Simulation& run) {
  run.advance(2);
  run.turn_back();
  run.advance(1);
  run.turn_back();
  run.measure();
  run.mark();
  run.advance(1);
  run.go_back();
  run.advance(1);
}

/// Returns the observable state of the remaining run, including another roll-back.
std::string rest(driver::Simulation& run) {
  auto all = seen(run);
  run.advance(2);
  all += seen(run);
  run.advance(2);
  all += seen(run);
  run.go_back();
  run.advance(1);
  return all + seen(run);
}

std::string rest_of(driver::Configuration const& run, std::size_t count, Blocks const& blocks) {
  SavedState state(blocks);
  auto const restored = driver::restore_simulation(run, count, state);
  state.finish();
  return rest(*restored);
}

/// Returns the state with one block replaced by that of a run at its start, or by zeros if that is
/// equal.
Blocks without(Blocks blocks, std::size_t k, Blocks const& begun) {
  auto& block = blocks[k];
  for (auto const& other : begun) {
    if (other.name == block.name && other.bytes.size() == block.bytes.size() &&
        other.bytes != block.bytes) {
      block.bytes = other.bytes;
      return blocks;
    }
  }
  if (block.type == BlockType::text) {
    block.bytes.clear();
  } else {
    auto const before = block.bytes;
    std::fill(block.bytes.begin(), block.bytes.end(), std::byte{0});
    if (block.bytes == before && !before.empty()) block.bytes.front() = std::byte{1};
  }
  return blocks;
}

void check_that_each_field_matters(Scenario const& scenario) {
  CAPTURE(scenario.overrides);
  std::map<std::string, bool> shows;
  for (auto const& variant : scenario.variants) {
    CAPTURE(variant);
    auto overrides = scenario.overrides;
    overrides.insert(overrides.begin(), variant);
    auto const run = driver::configure(law, "deck", overrides).configuration;
    std::size_t const count = scenario.bodies.size();
    auto const whole = driver::make_simulation(run, scenario.bodies);
    begin(*whole);
    auto const saved = state_of(*whole);
    auto const fresh = driver::make_simulation(run, scenario.bodies);
    fresh->advance(0);
    fresh->mark();
    auto const begun = state_of(*fresh);
    auto const expected = rest(*whole);
    bool const comes_back = rest_of(run, count, saved) == expected;
    CHECK(comes_back);
    for (std::size_t k = 0; k < saved.size(); ++k) {
      bool& shown = shows[saved[k].name];
      if (shown) continue;
      try {
        shown = rest_of(run, count, without(saved, k, begun)) != expected;
      } catch (Error const&) {
        shown = true;
      }
    }
  }
  for (auto const& [name, shown] : shows) {
    if (name.starts_with("hermite/higher_")) continue;  // some stepping modes use none of them
    CAPTURE(name);
    CHECK(shown);
  }
}

HostBodies some_bodies(std::size_t count) {
  auto bodies = testing::sample_bodies(count);
  for (std::size_t i = 0; i < count; ++i) {
    bodies.id[i] = 100 + i;
    bodies.species.push_back(static_cast<std::uint8_t>(i % species_types::count));
  }
  return bodies;
}

/// Returns all stepping modes of a scheme.
/// 205 s|restart: each field of the state matters, of every integrator and way to step|restart:
/// each saved field matters, for every integrator and stepping mode 212 s|restart: each field of
/// the state matters, of bodies without mass|restart: each saved field matters, for massless bodies
std::vector<Overrides> ways_to_step(integrators::IntegratorEntry const& method) {
  std::vector<Overrides> ways{{R"(integrator.stepping={"mode": "fixed"})"}};
  for (auto const& criterion : integrators::criteria()) {
    if (criterion.needs_scheme_derivatives && criterion.name != method.criterion) continue;
    ways.push_back(
        {R"(integrator.stepping={"mode": "adaptive", "criterion": ")" + criterion.name + R"("})"});
  }
  if (method.has_blocks()) ways.push_back({R"(integrator.stepping={"mode": "block"})"});
  for (auto const& parameter : method.parameters) {
    if (parameter.name != "compensated") continue;
    auto const plain = ways;
    for (auto way : plain) {
      way.push_back("integrator.compensated=true");
      ways.push_back(way);
    }
  }
  for (auto& way : ways) way.push_back("integrator.name=" + method.name);
  return ways;
}

}  // namespace

TEST_CASE("restart: each field of the state matters, of every integrator and way to step") {
  auto const bodies = some_bodies(40);
  for (auto const& method : integrators::integrators()) {
    for (auto const& way : ways_to_step(method)) check_that_each_field_matters({bodies, way});
  }
}

TEST_CASE("restart: each field of the state matters, of bodies without mass") {
  auto bodies = some_bodies(40);
  for (std::size_t i = 1; i < bodies.size(); ++i) bodies.mass[i] = 0.0;
  check_that_each_field_matters({bodies, {}});
}
