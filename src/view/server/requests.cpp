// SPDX-License-Identifier: Apache-2.0
#include "requests.hpp"

#include "core/embedded.hpp"
#include "view/server/server.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <string>

namespace apsis::view {

namespace {

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return lower_case(a) == lower_case(b);
}

/// Compares in a time that does not depend on the position of the first difference.
bool equal_in_constant_time(std::string_view candidate, std::string_view secret) {
  unsigned difference = candidate.size() == secret.size() ? 0 : 1;
  for (std::size_t i = 0; i < candidate.size(); ++i) {
    auto const expected = secret[i % secret.size()];
    difference |= static_cast<unsigned char>(candidate[i]) ^ static_cast<unsigned char>(expected);
  }
  return difference == 0;
}

/// Returns the value of `name=` in a list with a separator; empty if there is none.
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

bool host_fits(Endpoint const& endpoint, std::string_view host) {
  if (!endpoint.loopback) return !host.empty();
  std::array const names{std::string_view("127.0.0.1"), std::string_view("localhost"),
                         std::string_view("[::1]"), std::string_view(endpoint.address)};
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
    if (host.size() < name.size() || !equal_ignoring_case(host.substr(0, name.size()), name)) {
      return false;
    }
    // A tunnel may start at any port. A page from another port has another Origin.
    auto const port = host.substr(name.size());
    bool const digits = port.size() > 1 && port.size() <= 6 && port[0] == ':' &&
                        port.find_first_not_of("0123456789", 1) == std::string_view::npos;
    return port.empty() || digits;
  });
}

bool origin_fits(std::string_view origin, std::string_view host) {
  return origin.empty() || equal_ignoring_case(origin, "http://" + std::string(host)) ||
         equal_ignoring_case(origin, "https://" + std::string(host));
}

std::string cookie_name(Endpoint const& endpoint) {
  return "apsis_" + std::to_string(endpoint.port);
}

bool token_fits(Endpoint const& endpoint, std::string_view target, std::string_view cookie) {
  if (endpoint.token.empty()) return true;
  auto const path = path_of(target);
  auto const query = target.substr(std::min(path.size() + 1, target.size()));
  bool const in_query = equal_in_constant_time(value_of("token", query, '&'), endpoint.token);
  bool const in_cookie =
      equal_in_constant_time(value_of(cookie_name(endpoint), cookie, ';'), endpoint.token);
  return in_query || in_cookie;
}

namespace {

bool is_script_or_style(std::string_view target) {
  auto const path = path_of(target);
  return path.ends_with(".js") || path.ends_with(".css");
}

}  // namespace

bool is_admitted(Endpoint const& endpoint, RequestHeaders const& headers) {
  return host_fits(endpoint, headers.host) && origin_fits(headers.origin, headers.host) &&
         (token_fits(endpoint, headers.target, headers.cookie) ||
          (endpoint.framed && is_script_or_style(headers.target)));
}

bool is_origin(std::string_view text) {
  auto const scheme = text.starts_with("https://") ? 8U : text.starts_with("http://") ? 7U : 0U;
  auto rest = text.substr(scheme);
  if (scheme == 0 || rest.empty()) return false;
  auto const colon = rest.rfind(':');
  bool const has_port = colon != std::string_view::npos && rest.back() != ']';
  auto const port = has_port ? rest.substr(colon + 1) : std::string_view("1");
  auto const host = has_port ? rest.substr(0, colon) : rest;
  auto const all = [](std::string_view word, std::string_view allowed) {
    return !word.empty() && word.find_first_not_of(allowed) == std::string_view::npos;
  };
  constexpr std::string_view host_characters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-";
  bool const is_ipv6 = host.size() > 2 && host.front() == '[' && host.back() == ']' &&
                       all(host.substr(1, host.size() - 2), "0123456789abcdefABCDEF:");
  return (is_ipv6 || all(host, host_characters)) && port.size() <= 5 && all(port, "0123456789");
}

std::string new_token() {
  std::random_device random;  // the operating system's, which is unpredictable
  std::string token;
  while (token.size() < 32) {
    for (auto bits = random(), digits = 8U; digits > 0; --digits, bits >>= 4U) {
      token += "0123456789abcdef"[bits & 15U];
    }
  }
  return token;
}

/// Returns the embedded files of src/view/page.
std::span<Embedded const> page_files();

namespace {

std::string_view content_type_of(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  return "application/octet-stream";
}

std::map<std::string, PageFile, std::less<>> files_by_path() {
  std::map<std::string, PageFile, std::less<>> files;
  for (auto const& [name, bytes] : page_files()) {
    PageFile const file{content_type_of(name), bytes};
    files.emplace("/" + std::string(name), file);
    if (name == "index.html") files.emplace("/", file);
  }
  return files;
}

}  // namespace

PageFile const* page_file(std::string_view path) {
  static auto const files = files_by_path();
  auto const file = files.find(path);
  return file == files.end() ? nullptr : &file->second;
}

}  // namespace apsis::view
