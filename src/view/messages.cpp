// SPDX-License-Identifier: Apache-2.0
#include "view/messages.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

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

// Names of enumerators, in their order.
constexpr char const* mode_names[]{"run", "play", "demo"};
constexpr char const* status_names[]{"running", "paused", "finished"};
constexpr char const* verdict_names[]{"good", "unjudged", "bad", "stopped"};

template <class Enumerator, std::size_t count>
char const* name_of(Enumerator value, char const* const (&table)[count]) {
  return table[static_cast<std::size_t>(value)];
}

using Json = nlohmann::json;

struct Word {
  std::string_view text;
  Command::Kind kind;
  bool has_value;
  double least, most;  ///< of the value
};

constexpr double max_speed = 1e6;
constexpr double max_length = 1e100;  ///< and time; the deck checks further
constexpr std::array words{
    Word{"pause", Command::Kind::pause, false, 0, 0},
    Word{"go_on", Command::Kind::go_on, false, 0, 0},
    Word{"single_step", Command::Kind::single_step, false, 0, 0},
    Word{"restart", Command::Kind::restart, false, 0, 0},
    Word{"next", Command::Kind::next, false, 0, 0},
    Word{"previous", Command::Kind::previous, false, 0, 0},
    Word{"hold", Command::Kind::hold, true, 0, 1},
    Word{"softening", Command::Kind::softening, true, 0, max_length},
    Word{"time_step", Command::Kind::time_step, true, -max_length, max_length},
    Word{"damping", Command::Kind::damping, true, 0, 1},
    Word{"stop", Command::Kind::stop, false, 0, 0},
    Word{"speed", Command::Kind::speed, true, 0, max_speed},
    Word{"seek", Command::Kind::seek, true, 0, 1},
};

/// SAX parser of a flat object. It builds no document; nested or duplicate members end the parse.
class Listener : public Json::json_sax_t {
 public:
  std::optional<std::uint64_t> ready;
  std::optional<std::string> action;
  std::optional<double> value;

  bool null() override { return false; }
  bool boolean(bool /*value*/) override { return false; }
  bool number_integer(number_integer_t number) override {
    return take_number(static_cast<double>(number));
  }
  bool number_unsigned(number_unsigned_t number) override {
    if (key_ == "ready") return take(ready, std::uint64_t{number});
    return take_number(static_cast<double>(number));
  }
  bool number_float(number_float_t number, string_t const& /*text*/) override {
    return take_number(number);
  }
  bool string(string_t& text) override { return key_ == "do" && take(action, std::move(text)); }
  bool binary(binary_t& /*bytes*/) override { return false; }
  bool start_object(std::size_t /*size*/) override { return !std::exchange(inside_, true); }
  bool end_object() override { return true; }
  bool start_array(std::size_t /*size*/) override { return false; }
  bool end_array() override { return false; }
  bool key(string_t& name) override {
    key_ = std::move(name);
    return true;
  }
  bool parse_error(std::size_t /*position*/, std::string const& /*token*/,
                   nlohmann::detail::exception const& /*exception*/) override {
    return false;
  }

 private:
  template <class T>
  static bool take(std::optional<T>& member, T new_value) {
    if (member) return false;  // a duplicate
    member = std::move(new_value);
    return true;
  }
  bool take_number(double number) { return key_ == "value" && take(value, number); }

  bool inside_ = false;
  std::string key_;
};

std::optional<Command> command_of(std::string_view action, std::optional<double> value) {
  for (auto const& word : words) {
    if (word.text != action || word.has_value != value.has_value()) continue;
    if (!value) return Command{word.kind};
    if (*value >= word.least && *value <= word.most) return Command{word.kind, *value};
  }
  return {};
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
       {"mode", name_of(hello.mode, mode_names)},
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
               {"status", name_of(state.status, status_names)},
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
  return dump({{"type", "over"},
               {"message", over.message},
               {"verdict", name_of(over.verdict, verdict_names)}});
}

// Points are sent as they are in memory.
static_assert(std::endian::native == std::endian::little, "frames are little-endian");

std::uint32_t detail_count(Frame const& frame, std::uint32_t points) {
  if (frame.details == nullptr) return 0;
  return std::min(points, static_cast<std::uint32_t>(frame.details->size()));
}

std::array<unsigned char, 64> frame_header(Frame const& frame, std::uint32_t points) {
  std::array<unsigned char, 64> header{'A', 'P', 'S', '1'};
  std::size_t offset = 4;
  auto const put = [&](auto value) {
    std::memcpy(header.data() + offset, &value, sizeof value);
    offset += sizeof value;
  };
  put(points);
  put(frame.step);
  put(frame.bodies);
  put(frame.time);
  for (float const x : frame.centre) put(x);
  put(frame.half);
  put(frame.speed);
  put(detail_count(frame, points));
  return header;
}

std::optional<ViewerMessage> parse_message(std::string_view message) {
  if (message.size() > max_message_bytes) return {};
  Listener listener;
  if (!Json::sax_parse(message.begin(), message.end(), &listener)) return {};
  ViewerMessage message_read;
  if (listener.ready) {
    if (*listener.ready > std::numeric_limits<std::uint32_t>::max()) return {};
    message_read.ready = static_cast<std::uint32_t>(*listener.ready);
  }
  if (listener.action) {
    message_read.command = command_of(*listener.action, listener.value);
    if (!message_read.command) return {};
  } else if (listener.value) {
    return {};
  }
  if (!message_read.ready && !message_read.command) return {};
  return message_read;
}

}  // namespace apsis::view
