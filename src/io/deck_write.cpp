// SPDX-License-Identifier: Apache-2.0
#include <apsis/io/deck.hpp>
#include <apsis/io/record.hpp>

#include <nlohmann/json.hpp>

#include <cmath>

namespace apsis::io {

namespace {

using Ordered = nlohmann::ordered_json;

Ordered to_json(std::vector<Parameter> const& parameters, Values const& values);

Ordered to_json(Value const& value, std::vector<Parameter> const& fields) {
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
    for (auto const& record : *list) array.push_back(to_json(fields, record));
    return array;
  }
  return nullptr;
}

Ordered to_json(std::vector<Parameter> const& parameters, Values const& values) {
  auto object = Ordered::object();
  for (auto const& parameter : parameters) {
    if (values.has(parameter.name)) {
      object[parameter.name] = to_json(values.at(parameter.name), parameter.fields);
    }
  }
  return object;
}

}  // namespace

std::string write_deck(Deck const& deck, DeckTable const& table) {
  Ordered json = to_json(table.top, deck.top);
  for (auto const& section : table.sections) {
    Form const& form = *deck.forms.at(section.name);
    Values const& values = deck.sections.at(section.name);
    auto object = Ordered::object();
    if (!form.choice.empty()) object[form.selector] = form.choice;
    object.update(to_json(form.parameters, values));
    json[section.name] = object;
  }
  return json.dump(2) + "\n";
}

namespace {
Ordered object_of(Record const& record) {
  auto object = Ordered::object();
  for (auto const& [name, value] : record) object[name] = to_json(value, {});
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
