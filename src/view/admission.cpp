// SPDX-License-Identifier: Apache-2.0
#include "admission.hpp"

#include <algorithm>
#include <array>

namespace apsis::view {

namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_but_for_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

/// Looks at every byte of what is given, wherever the first difference is.
bool same_in_constant_time(std::string_view given, std::string_view secret) {
  unsigned difference = given.size() == secret.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    auto const wanted = secret[i % secret.size()];
    difference |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(wanted);
  }
  return difference == 0;
}

/// The value of `name=` among parts with a separator between, without spaces before; empty if there
/// is none.
std::string_view value_of(std::string_view name, std::string_view parts, char separator) {
  while (!parts.empty()) {
    auto const end = std::min(parts.find(separator), parts.size());
    auto part = parts.substr(0, end);
    parts.remove_prefix(std::min(end + 1, parts.size()));
    part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
    if (part.size() > name.size() && part.starts_with(name) && part[name.size()] == '=') {
      return part.substr(name.size() + 1);
    }
  }
  return {};
}

}  // namespace

std::string_view path_of(std::string_view target) {
  return target.substr(0, target.find('?'));
}

bool host_fits(Entrance const& entrance, std::string_view host) {
  if (!entrance.loopback) return !host.empty();
  std::array const names{std::string_view("127.0.0.1"), std::string_view("localhost"),
                         std::string_view("[::1]"), std::string_view(entrance.address)};
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
    if (host.size() < name.size() || !same_but_for_case(host.substr(0, name.size()), name)) {
      return false;
    }
    // A tunnel may begin at any port; a page that comes from another one has another origin.
    auto const port = host.substr(name.size());
    bool const digits = port.size() > 1 && port.size() <= 6 && port[0] == ':' &&
                        port.find_first_not_of("0123456789", 1) == std::string_view::npos;
    return port.empty() || digits;
  });
}

bool origin_fits(std::string_view origin, std::string_view host) {
  return origin.empty() || same_but_for_case(origin, "http://" + std::string(host)) ||
         same_but_for_case(origin, "https://" + std::string(host));
}

std::string cookie_name(Entrance const& entrance) {
  return "apsis_" + std::to_string(entrance.port);
}

bool token_fits(Entrance const& entrance, std::string_view target, std::string_view cookie) {
  if (entrance.token.empty()) return true;
  auto const path = path_of(target);
  auto const query = target.substr(std::min(path.size() + 1, target.size()));
  bool const in_query = same_in_constant_time(value_of("token", query, '&'), entrance.token);
  bool const in_cookie =
      same_in_constant_time(value_of(cookie_name(entrance), cookie, ';'), entrance.token);
  return in_query || in_cookie;
}

bool admitted(Entrance const& entrance, Arrival const& arrival) {
  return host_fits(entrance, arrival.host) && origin_fits(arrival.origin, arrival.host) &&
         token_fits(entrance, arrival.target, arrival.cookie);
}

}  // namespace apsis::view
