// SPDX-License-Identifier: Apache-2.0
#include "diagnostics/measurement.hpp"
#include "run/directory/run_record.hpp"
#include "support/integrators.hpp"
#include "support/planets.hpp"
#include "support/sample_bodies.hpp"
#include <apsis/core/saved_state.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/integrators/integrator_entry.hpp>
#include <apsis/integrators/stepping.hpp>
#include <apsis/simulation/whole_bodies.hpp>

#include <Kokkos_Core.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
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

/// Appends all members of a measurement. The bytes between members are not defined.
void append(std::string& bytes, diagnostics::Measurement const& measured) {
  append(bytes,
         std::array{measured.kinetic, measured.potential, measured.internal_kinetic, measured.mass,
                    measured.test_particle_energy_error, measured.moved.energy});
  append(bytes, std::array{measured.momentum, measured.angular_momentum, measured.center_of_mass,
                           measured.moved.momentum, measured.moved.angular_momentum});
  append(bytes, measured.conserved);
}

/// Returns all observable state of a run, as bytes.
std::string observable_state(simulation::Simulation& run) {
  std::string bytes;
  append(bytes, run.step());
  append(bytes, run.time());
  append(bytes, run.state().time_step);
  append(bytes, run.interactions());
  append(bytes, run.state().integrator_steps);
  append(bytes, run.info().massless.count);
  auto const& bodies = run.bodies();
  append(bytes, bodies.position);
  append(bytes, bodies.velocity);
  append(bytes, bodies.mass);
  append(bytes, bodies.id);
  append(bytes, bodies.species);
  for (auto const& name : bodies.name) bytes += name + "\n";
  append(bytes, run.measure());
  if (auto const errors = run.info().force_errors) append(bytes, *errors);
  if (auto const megno = run.megno()) append(bytes, *megno);
  simulation::on_whole(run, [&](Context const& context, auto const& stored, auto const&) {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), stored.acceleration);
    context.space.fence();
    bytes.append(reinterpret_cast<char const*>(host.data()),
                 host.span() * sizeof(typename decltype(host)::value_type));
  });
  return bytes;
}

Blocks state_of(simulation::Simulation& run) {
  SavedState state;
  run.exchange(state);
  return state.blocks();
}

/// Runs up to the saved state, including a reversal of time and a roll-back.
void begin(simulation::Simulation& run) {
  run.advance(2);
  run.reverse_time();
  run.advance(1);
  run.reverse_time();
  run.measure();
  run.mark();
  run.advance(1);
  run.roll_back();
  run.advance(1);
}

/// Returns the observable state of the remaining run, including another roll-back.
std::string run_on(simulation::Simulation& run) {
  auto bytes = observable_state(run);
  run.advance(2);
  bytes += observable_state(run);
  run.advance(2);
  bytes += observable_state(run);
  run.roll_back();
  run.advance(1);
  return bytes + observable_state(run);
}

std::string restore_and_run_on(deck::Configuration const& run, std::size_t count,
                               Blocks const& blocks) {
  SavedState state(blocks);
  auto const restored = simulation::restore_simulation(run, count, state);
  state.finish();
  return run_on(*restored);
}

/// Returns the state with one block replaced by that of a run at its start, or by zeros if that is
/// equal.
Blocks replace_block(Blocks blocks, std::size_t k, Blocks const& initial_state) {
  auto& block = blocks[k];
  for (auto const& other : initial_state) {
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

void check_each_field(Scenario const& scenario) {
  CAPTURE(scenario.overrides);
  std::map<std::string, bool> matters;
  for (auto const& variant : scenario.variants) {
    CAPTURE(variant);
    auto overrides = scenario.overrides;
    overrides.insert(overrides.begin(), variant);
    auto const run = deck::configure(law, "deck", overrides).configuration;
    std::size_t const count = scenario.bodies.size();
    auto const whole = simulation::make_simulation(run, scenario.bodies);
    begin(*whole);
    auto const saved = state_of(*whole);
    auto const fresh = simulation::make_simulation(run, scenario.bodies);
    fresh->advance(0);
    fresh->mark();
    auto const initial_state = state_of(*fresh);
    auto const expected = run_on(*whole);
    bool const is_equal = restore_and_run_on(run, count, saved) == expected;
    CHECK(is_equal);
    for (std::size_t k = 0; k < saved.size(); ++k) {
      bool& has_effect = matters[saved[k].name];
      if (has_effect) continue;
      try {
        has_effect =
            restore_and_run_on(run, count, replace_block(saved, k, initial_state)) != expected;
      } catch (Error const&) {
        has_effect = true;
      }
    }
  }
  for (auto const& [name, has_effect] : matters) {
    if (name.starts_with("hermite/higher_")) continue;  // some stepping modes use none of them
    CAPTURE(name);
    CHECK(has_effect);
  }
}

HostBodies some_bodies(std::size_t count) {
  auto bodies = testing::sample_bodies(count);
  for (std::size_t i = 0; i < count; ++i) {
    bodies.id[i] = 100 + i;
    bodies.species.push_back(static_cast<std::uint8_t>(i % species_types::count));
    bodies.name.push_back("body " + std::to_string(i));
  }
  return bodies;
}

/// Returns all stepping modes of a scheme.
std::vector<Overrides> stepping_modes(integrators::IntegratorEntry const& method) {
  std::string const name = "integrator.name=" + method.name;
  if (method.has_own_steps()) return {{R"(integrator.stepping={"mode": "own"})", name}};
  std::vector<Overrides> modes{{R"(integrator.stepping={"mode": "fixed"})"}};
  for (auto const& criterion : integrators::criteria()) {
    if (criterion.needs_scheme_derivatives && criterion.name != method.criterion) continue;
    modes.push_back(
        {R"(integrator.stepping={"mode": "adaptive", "criterion": ")" + criterion.name + R"("})"});
  }
  if (method.has_blocks()) modes.push_back({R"(integrator.stepping={"mode": "block"})"});
  for (auto const& parameter : method.parameters) {
    if (parameter.name != "compensated") continue;
    auto const plain = modes;
    for (auto mode : plain) {
      mode.push_back("integrator.compensated=true");
      modes.push_back(mode);
    }
  }
  for (auto& mode : modes) mode.push_back(name);
  return modes;
}

}  // namespace

TEST_CASE("restart: each saved field matters, for every integrator and stepping mode") {
  auto const bodies = some_bodies(40);
  for (auto const& method : testing::general_integrators()) {
    for (auto const& mode : stepping_modes(method)) check_each_field({bodies, mode});
  }
}

TEST_CASE("restart: each saved field matters, for wisdom_holman with massless bodies") {
  auto bodies = testing::star_and_planets(3, 20);
  bodies.species = some_bodies(bodies.size()).species;
  bodies.name = some_bodies(bodies.size()).name;
  // In democratic coordinates some of these fields are constant.
  check_each_field({bodies,
                    {"integrator={\"name\": \"wisdom_holman\", \"time_step\": 0.125, "
                     "\"substeps\": 2, \"corrector\": 5}",
                     "gravity.softening=0"},
                    {"run.steps=1000"}});
}

TEST_CASE("restart: each saved field matters, for few bodies with steps of their own") {
  check_each_field({some_bodies(9), {"integrator.name=gauss_radau15"}});
}

TEST_CASE("restart: each saved field matters, for massless bodies with steps of their own") {
  auto bodies = testing::star_and_planets(3, 20);
  bodies.species = some_bodies(bodies.size()).species;
  bodies.name = some_bodies(bodies.size()).name;
  check_each_field({bodies, {"integrator.name=gauss_radau15"}});
}

TEST_CASE("restart: each saved field matters, for a tangent vector") {
  for (auto const* name : {"leapfrog_dkd", "gauss_radau15"}) {
    check_each_field(
        {some_bodies(5), {std::string("integrator.name=") + name, "diagnostics.megno={}"}});
  }
}

TEST_CASE("restart: each saved field matters, for softening lengths by species") {
  check_each_field(
      {some_bodies(40), {R"(gravity.softening_by_species={"dark": 0.125, "gas": 0})"}});
}

TEST_CASE("restart: each saved field matters, for massless bodies") {
  auto bodies = some_bodies(40);
  for (std::size_t i = 1; i < bodies.size(); ++i) bodies.mass[i] = 0.0;
  check_each_field({bodies, {}});
}
