// SPDX-License-Identifier: Apache-2.0
#include <apsis/view/messages.hpp>

#include <nlohmann/json.hpp>

namespace apsis::view {

namespace {

using nlohmann::json;

json or_null(std::optional<double> const& value) {
  return value ? json(*value) : json();
}

/// Texts of decks and files may be no UTF-8, and a viewer has to live with that.
std::string dumped(json const& of) {
  return of.dump(-1, ' ', false, json::error_handler_t::replace);
}

char const* name_of(Mode mode) {
  return mode == Mode::run ? "run" : mode == Mode::play ? "play" : "demo";
}

char const* name_of(State::Status status) {
  using Status = State::Status;
  return status == Status::running ? "running" : status == Status::paused ? "paused" : "finished";
}

}  // namespace

std::string text_of(Hello const& hello) {
  json units = json::object();
  if (hello.units.si) {
    units = {{"length", hello.units.name(dimension::length)},
             {"time", hello.units.name(dimension::time)},
             {"speed", hello.units.name(dimension::velocity)}};
  }
  return dumped(
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
  return dumped({{"type", "state"},
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

std::string text_of(ConservedPoint const& point) {
  return dumped({{"type", "conservation"},
                 {"time", {point.time}},
                 {"energy", {point.energy}},
                 {"momentum", {point.momentum}},
                 {"angular_momentum", {point.angular_momentum}}});
}

std::string farewell(std::string const& words) {
  return dumped({{"type", "over"}, {"message", words}});
}

}  // namespace apsis::view
