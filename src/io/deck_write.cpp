// SPDX-License-Identifier: Apache-2.0
#include "json_text.hpp"
#include <apsis/io/deck.hpp>
#include <apsis/io/record.hpp>

#include <cmath>

namespace apsis::io {

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

Ordered to_json(std::vector<Parameter> const& parameters, Values const& values) {
  Ordered::object_t object;
  add(object, parameters, values);
  return object;
}

Ordered to_json(Form const& form, Values const& values) {
  Ordered::object_t object;
  object.reserve(1 + form.parameters.size());
  if (!form.choice.empty()) object.emplace_back(form.selector, form.choice);
  add(object, form.parameters, values);
  return object;
}

}  // namespace

Ordered json_of(Value const& value, Parameter const& parameter) {
  if (auto const* flag = std::get_if<bool>(&value)) return *flag;
  if (auto const* whole = std::get_if<std::int64_t>(&value)) return *whole;
  if (auto const* real = std::get_if<double>(&value)) {
    return std::isfinite(*real) ? Ordered(*real) : Ordered(nullptr);
  }
  if (auto const* words = std::get_if<std::string>(&value)) return *words;
  if (auto const* vector = std::get_if<Vec3<double>>(&value)) {
    return Ordered::array({vector->x, vector->y, vector->z});
  }
  if (auto const* list = std::get_if<std::vector<Values>>(&value)) {
    auto array = Ordered::array();
    for (auto const& record : *list) array.push_back(to_json(parameter.fields, record));
    return array;
  }
  if (auto const* numbers = std::get_if<std::vector<double>>(&value)) return *numbers;
  if (auto const* object = std::get_if<std::shared_ptr<Values const>>(&value)) {
    return to_json(form_of(parameter.forms, **object), **object);
  }
  return nullptr;
}

std::string write_deck(Deck const& deck, DeckTable const& table) {
  Ordered json = to_json(table.top, deck.top);
  for (auto const& section : table.sections) {
    if (!deck.has(section.name)) continue;
    Values const& values = deck.sections.at(section.name);
    json[section.name] = to_json(form_of(section.forms, values), values);
  }
  return json.dump(2) + "\n";
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
