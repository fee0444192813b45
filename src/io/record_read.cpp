// SPDX-License-Identifier: Apache-2.0
#include "json_value.hpp"
#include <apsis/io/record.hpp>

namespace apsis::io {

namespace {

/// The value with a dotted name; null if there is none.
Json value_in(std::string const& text, std::string const& name) {
  auto json = Json::parse(text, nullptr, false);
  std::string rest = name;
  while (json.is_object()) {
    auto const dot = rest.find('.');
    auto const member = json.find(rest.substr(0, dot));
    if (member == json.end()) return {};
    if (dot == std::string::npos) return *member;
    json = Json(*member);
    rest.erase(0, dot + 1);
  }
  return {};
}

}  // namespace

std::optional<double> number_in(std::string const& json, std::string const& name) {
  auto const value = value_in(json, name);
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

std::optional<std::string> text_in(std::string const& json, std::string const& name) {
  auto const value = value_in(json, name);
  return value.is_string() ? std::optional(value.get<std::string>()) : std::nullopt;
}

std::vector<std::string> texts_in(std::string const& json, std::string const& list,
                                  std::string const& key) {
  std::vector<std::string> texts;
  auto const value = value_in(json, list);
  if (!value.is_array()) return texts;
  for (auto const& item : value) {
    if (!item.is_object() || !item.contains(key) || !item.at(key).is_string()) continue;
    texts.push_back(item.at(key).get<std::string>());
  }
  return texts;
}

}  // namespace apsis::io
