// SPDX-License-Identifier: Apache-2.0
#include "apsis/io/record.hpp"

#include "json_value.hpp"

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

namespace {

Ordered object_of(Record const& record) {
  auto object = Ordered::object();
  for (auto const& [name, value] : record) {
    auto* place = &object;
    std::string key = name;
    for (auto dot = key.find('.'); dot != std::string::npos; dot = key.find('.')) {
      place = &(*place)[key.substr(0, dot)];
      key.erase(0, dot + 1);
    }
    (*place)[key] = json_of(value, Parameter("", Kind::object, ""));
  }
  return object;
}

std::string printed(Ordered const& object) {
  return object.dump(2, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

}  // namespace

std::string to_json(Record const& record) {
  return printed(object_of(record));
}

std::string to_json(Record const& environment, std::vector<Record> const& rows) {
  auto object = Ordered::object();
  if (!environment.empty()) object["environment"] = object_of(environment);
  object["rows"] = Ordered::array();
  for (auto const& row : rows) object["rows"].push_back(object_of(row));
  return printed(object);
}

}  // namespace apsis::io
