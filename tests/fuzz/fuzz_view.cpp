// SPDX-License-Identifier: Apache-2.0
#include "core/embedded.hpp"
#include "harness.hpp"
#include "view/messages.hpp"
#include "view/server/requests.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <span>
#include <string>
#include <string_view>

using namespace apsis;
using namespace apsis::view;

namespace apsis::view {
/// The page is not part of the harness.
std::span<Embedded const> page_files() {
  return {};
}
}  // namespace apsis::view

namespace {

/// A parsed message must have content within its limits, and not depend on spaces.
void check_message(std::string_view message) {
  auto const parsed = parse_message(message);
  if (!parsed) return;
  fuzzing::require(message.size() <= max_message_bytes, "a message that is too long is not read");
  fuzzing::require(parsed->ready || parsed->command, "a parsed message has content");
  if (parsed->command) {
    auto const& [kind, value] = *parsed->command;
    bool const needs_value = kind == Command::Kind::speed || kind == Command::Kind::seek;
    fuzzing::require(std::isfinite(value) && value >= 0.0, "a value is a number");
    fuzzing::require(value <= (kind == Command::Kind::seek ? 1.0 : 1e6), "a value has limits");
    fuzzing::require(needs_value || value == 0.0, "only some commands have a value");
  }
  if (message.size() == max_message_bytes) return;
  auto const again = parse_message(std::string(message) + " ");
  fuzzing::require(again && again->ready == parsed->ready, "a space changes nothing");
}

std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lowered;
}

/// An admitted request must use a known host name, come from the page of that host, and contain the
/// token.
void check_request(RequestHeaders const& arrival) {
  std::string const token = "0123456789abcdef";
  std::array const entrances{Endpoint{"127.0.0.1", 8765, true, ""},
                             Endpoint{"[::1]", 80, true, token},
                             Endpoint{"192.0.2.7", 8765, false, token}};
  for (auto const& entrance : entrances) {
    if (!is_admitted(entrance, arrival)) continue;
    auto const host = lower(arrival.host);
    bool known = !entrance.loopback && !host.empty();
    for (std::string const name : {"127.0.0.1", "localhost", "[::1]"}) {
      if (host.rfind(name, 0) != 0) continue;
      auto const port = host.substr(name.size());
      known = known || port.empty() ||
              (port.size() > 1 && port[0] == ':' &&
               port.find_first_not_of("0123456789", 1) == std::string::npos);
    }
    fuzzing::require(known, "the host is this machine's");
    auto const origin = lower(arrival.origin);
    fuzzing::require(origin.empty() || origin == "http://" + host || origin == "https://" + host,
                     "the origin is the page of the host");
    bool const has_token =
        arrival.target.find("token=" + token) != std::string_view::npos ||
        arrival.cookie.find(cookie_name(entrance) + "=" + token) != std::string_view::npos;
    fuzzing::require(entrance.token.empty() || has_token, "the request has the token");
  }
}

}  // namespace

/// The input is a message, followed by the host, origin, target and cookie of a request, each after
/// a zero byte.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<char const*>(data), size);
  std::array<std::string_view, 5> parts;
  for (auto& part : parts) {
    part = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  }
  check_message(parts[0]);
  check_request({parts[1], parts[2], parts[3], parts[4]});
  return 0;
}
