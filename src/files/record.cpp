// SPDX-License-Identifier: Apache-2.0
#include "files/record.hpp"

#include "core/decimal.hpp"
#include "files/json_data.hpp"
#include "json_value.hpp"

#include <cmath>

namespace apsis::files {

namespace {

/// Adds values in the order of the parameters. Reserves space first, because an object that grows
/// copies its content (its keys cannot be moved).
void add(Ordered::object_t& object, std::vector<Parameter> const& parameters,
         Values const& values) {
  object.reserve(object.size() + parameters.size());
  for (auto const& parameter : parameters) {
    if (!values.has(parameter.name)) continue;
    object.emplace_back(parameter.name, json_of(values.value(parameter.name), parameter));
  }
}

Ordered ordered(JsonData const& data) {
  struct Convert {
    Ordered operator()(std::nullptr_t) const { return nullptr; }
    Ordered operator()(bool value) const { return value; }
    Ordered operator()(std::int64_t value) const { return value; }
    Ordered operator()(std::uint64_t value) const { return value; }
    Ordered operator()(double value) const {
      return std::isfinite(value) ? Ordered(value) : Ordered(nullptr);
    }
    Ordered operator()(std::string const& value) const { return value; }
    Ordered operator()(JsonText const& value) const { return Ordered::parse(value.text); }
    Ordered operator()(JsonData::Array const& items) const {
      auto array = Ordered::array();
      for (auto const& item : items) array.push_back(ordered(item));
      return array;
    }
    Ordered operator()(JsonData::Object const& members) const {
      Ordered::object_t object;
      object.reserve(members.size());
      for (auto const& member : members) object.emplace_back(member.name, ordered(member.value));
      return object;
    }
  };
  return std::visit(Convert{}, data.content());
}

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

Ordered json_of(std::vector<Parameter> const& parameters, Values const& values) {
  Ordered::object_t object;
  add(object, parameters, values);
  return object;
}

Ordered json_of(Form const& form, Values const& values) {
  Ordered::object_t object;
  object.reserve(1 + form.parameters.size());
  if (!form.choice.empty()) object.emplace_back(form.selector, form.choice);
  add(object, form.parameters, values);
  return object;
}

Ordered json_of(Value const& value, Parameter const& parameter) {
  if (auto const* flag = std::get_if<bool>(&value)) return *flag;
  if (auto const* whole = std::get_if<std::int64_t>(&value)) return *whole;
  if (auto const* real = std::get_if<double>(&value)) {
    return std::isfinite(*real) ? Ordered(*real) : Ordered(nullptr);
  }
  if (auto const* words = std::get_if<std::string>(&value)) {
    std::uint64_t whole = 0;
    bool const is_whole =
        parameter.accepts_whole_number && read_decimal(*words, whole) == Numeral::good;
    return is_whole ? Ordered(whole) : Ordered(*words);
  }
  if (auto const* vector = std::get_if<Vec3<double>>(&value)) {
    return Ordered::array({vector->x, vector->y, vector->z});
  }
  if (auto const* list = std::get_if<std::vector<Values>>(&value)) {
    auto array = Ordered::array();
    for (auto const& record : *list) {
      array.push_back(parameter.forms.empty() ? json_of(parameter.fields, record)
                                              : json_of(form_of(parameter.forms, record), record));
    }
    return array;
  }
  if (auto const* numbers = std::get_if<std::vector<double>>(&value)) return *numbers;
  if (auto const* object = std::get_if<std::shared_ptr<Values const>>(&value)) {
    return json_of(form_of(parameter.forms, **object), **object);
  }
  return nullptr;
}

std::string to_json(JsonData const& data) {
  return ordered(data).dump(2, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

std::string to_json_line(JsonData const& data) {
  return ordered(data).dump(-1, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

std::optional<double> number_in(std::string const& json, std::string const& name) {
  auto const value = value_in(json, name);
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

std::optional<std::string> text_in(std::string const& json, std::string const& name) {
  auto const value = value_in(json, name);
  return value.is_string() ? std::optional(value.get<std::string>()) : std::nullopt;
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

}  // namespace apsis::files
