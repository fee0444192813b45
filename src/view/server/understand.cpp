// SPDX-License-Identifier: Apache-2.0
#include "view/command.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <limits>
#include <string>
#include <utility>

namespace apsis::view {

namespace {

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
