// SPDX-License-Identifier: Apache-2.0
#include "view/messages.hpp"

#include <nlohmann/json.hpp>

namespace apsis::view {

namespace {

using nlohmann::json;

json or_null(std::optional<double> const& value) {
  return value ? json(*value) : json();
}

/// Invalid UTF-8 in texts of decks and files is replaced.
std::string dump(json const& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

char const* name_of(Mode mode) {
  return mode == Mode::run ? "run" : mode == Mode::play ? "play" : "demo";
}

char const* name_of(State::Status status) {
  return status == State::Status::running  ? "running"
         : status == State::Status::paused ? "paused"
                                           : "finished";
}

char const* name_of(Over::Verdict verdict) {
  return verdict == Over::Verdict::good       ? "good"
         : verdict == Over::Verdict::unjudged ? "unjudged"
         : verdict == Over::Verdict::bad      ? "bad"
                                              : "stopped";
}

}  // namespace

std::string text_of(Hello const& hello) {
  json units = json::object();
  if (hello.units.si) {
    units = {{"length", hello.units.name(dimension::length)},
             {"time", hello.units.name(dimension::time)},
             {"speed", hello.units.name(dimension::velocity)}};
  }
  return dump(
      {{"type", "hello"},
       {"mode", name_of(hello.mode)},
       {"control", hello.control},
       {"title", hello.title},
       {"bodies", hello.bodies},
       {"backend", hello.backend},
       {"device", hello.device},
       {"precision", hello.precision},
       {"integrator", hello.integrator},
       {"units", units},
       {"end_time", or_null(hello.end_time)},
       {"limits",
        {{"energy", or_null(hello.energy_limit)}, {"momentum", or_null(hello.momentum_limit)}}},
       {"presets", hello.presets},
       {"preset", hello.preset}});
}

std::string text_of(State const& state) {
  return dump({{"type", "state"},
               {"status", name_of(state.status)},
               {"step", state.step},
               {"steps", state.steps},
               {"time", state.time},
               {"steps_per_second", state.steps_per_second},
               {"interactions_per_second", state.interactions_per_second},
               {"gflops", state.flops * 1e-9},
               {"wall_seconds", state.wall_seconds},
               {"message", state.message}});
}

std::string text_of(SystemFacts const& facts) {
  json names = json::object();
  for (std::size_t i = 0; i < facts.names.size(); ++i) {
    if (!facts.names[i].empty()) names[std::to_string(facts.ids[i])] = facts.names[i];
  }
  return dump({{"type", "system"}, {"G", facts.G}, {"names", names}});
}

std::string text_of(Setup const& setup) {
  auto const values = [](Setup::Values const& all) {
    return json{{"softening", all.softening},
                {"time_step", all.time_step},
                {"damping", or_null(all.damping)}};
  };
  return dump({{"type", "setup"},
               {"held", setup.held},
               {"now", values(setup.now)},
               {"deck", values(setup.deck)}});
}

std::string text_of(ConservedPoint const& point) {
  return dump({{"type", "conservation"},
               {"time", {point.time}},
               {"energy", {point.energy}},
               {"momentum", {point.momentum}},
               {"angular_momentum", {point.angular_momentum}}});
}

std::string text_of(Over const& over) {
  return dump({{"type", "over"}, {"message", over.message}, {"verdict", name_of(over.verdict)}});
}

}  // namespace apsis::view
