// SPDX-License-Identifier: Apache-2.0
#include "part.hpp"
#include "schema_definitions.hpp"
#include <apsis/core/machine.hpp>
#include <apsis/deck/deck.hpp>

#include <array>
#include <cmath>

namespace apsis::deck {

namespace {

Ordered object_schema(std::vector<Parameter> const& parameters);
Ordered schema_of(Form const& form);

/// Name of the definition of one of several forms: "bodies.plummer", "run.end_time".
std::string name_of(std::string const& owner, Form const& form) {
  return owner + "." + (form.choice.empty() ? form.selector : form.choice);
}

void set_bounds(Ordered& schema, Parameter const& parameter) {
  if (std::isfinite(parameter.minimum)) {
    schema[parameter.minimum_excluded ? "exclusiveMinimum" : "minimum"] = parameter.minimum;
  }
  if (std::isfinite(parameter.maximum)) {
    schema[parameter.maximum_excluded ? "exclusiveMaximum" : "maximum"] = parameter.maximum;
  }
}

Ordered named(Ordered schema, std::string const& name) {
  schema[definition_name] = name;
  return schema;
}

/// Schema of an object: that of its only form, or exactly one of several forms. `owner`: name of
/// the parameter.
Ordered schema_of(std::vector<Form> const& forms, std::string const& owner) {
  if (forms.size() == 1) return named(schema_of(forms.front()), owner);
  Ordered schema;
  schema["type"] = "object";
  schema["oneOf"] = Ordered::array();
  for (auto const& form : forms) {
    schema["oneOf"].push_back(named(schema_of(form), name_of(owner, form)));
  }
  return schema;
}

/// JSON type of each Kind; null for a choice: its type follows from its values.
constexpr std::array<char const*, 9> types{"string", nullptr, "number", "integer", "boolean",
                                           "array",  "array", "array",  "object"};

Ordered schema_of(Parameter const& parameter) {
  auto const kind = parameter.kind;
  Ordered schema;
  if (kind == Kind::object) schema = schema_of(parameter.forms, parameter.name);
  schema["description"] = parameter.doc;
  if (auto const* type = types[static_cast<std::size_t>(kind)]) schema["type"] = type;
  if (kind == Kind::choice) schema["enum"] = parameter.choices;
  if (kind == Kind::records) {
    schema["items"] = parameter.forms.empty()
                          ? named(object_schema(parameter.fields), parameter.name + ".item")
                          : schema_of(parameter.forms, parameter.name);
    schema["minItems"] = static_cast<std::int64_t>(parameter.minimum);
  }
  if (kind == Kind::vector3 || kind == Kind::numbers) schema["items"]["type"] = "number";
  if (kind == Kind::vector3) {
    schema["minItems"] = 3;
    schema["maxItems"] = 3;
  }
  if (kind != Kind::records) {
    set_bounds(kind == Kind::numbers ? schema["items"] : schema, parameter);
  }
  if (!std::holds_alternative<std::monostate>(parameter.fallback)) {
    schema["default"] = json_of(parameter.fallback, parameter);
  }
  return schema;
}

/// Schema of a value that may also be written with another type: a number as a quantity, a text as
/// a whole number.
Ordered either_of(Ordered schema, Ordered other) {
  Ordered either;
  either["description"] = schema["description"];
  schema.erase("description");
  either["oneOf"] = Ordered::array({std::move(schema), std::move(other)});
  return either;
}

Ordered schema_with_alternative(Parameter const& parameter) {
  auto schema = schema_of(parameter);
  if (parameter.quantity_dimension) return either_of(std::move(schema), {{"type", "string"}});
  if (parameter.kind == Kind::number && !parameter.choices.empty()) {
    return either_of(std::move(schema), {{"type", "string"}, {"enum", parameter.choices}});
  }
  if (parameter.accepts_whole_number) {
    return either_of(std::move(schema), {{"type", "integer"}, {"minimum", 0}});
  }
  return schema;
}

/// The schema of a key of an object.
Ordered schema_of_key(Parameter const& parameter) {
  auto schema = schema_with_alternative(parameter);
  if (auto const rule = rule_in_physical_units(parameter); !rule.empty()) {
    schema["description"] = parameter.doc + "; " + rule;
  }
  return schema;
}

Ordered object_schema(std::vector<Parameter> const& parameters) {
  Ordered properties = Ordered::object();
  Ordered required = Ordered::array();
  for (auto const& parameter : parameters) {
    properties[parameter.name] = schema_of_key(parameter);
    if (parameter.required) required.push_back(parameter.name);
  }
  Ordered schema;
  schema["type"] = "object";
  schema["properties"] = std::move(properties);
  if (!required.empty()) schema["required"] = std::move(required);
  schema["additionalProperties"] = false;
  return schema;
}

Ordered schema_of(Form const& form) {
  Ordered schema = object_schema(form.parameters);
  if (!form.doc.empty()) schema["description"] = form.doc;
  for (auto const& key : form.one_of) {
    schema["oneOf"].push_back({{"required", Ordered::array({key})}});
  }
  if (!form.choice.empty()) {
    Ordered properties = Ordered::object();
    properties[form.selector] = {{"const", form.choice}};
    properties.update(schema["properties"]);
    schema["properties"] = std::move(properties);
    if (!form.is_default) {
      if (!schema.contains("required")) schema["required"] = Ordered::array();
      schema["required"].push_back(form.selector);
    }
  }
  return schema;
}

}  // namespace

std::string json_schema(DeckTable const& table) {
  Ordered schema = object_schema(table.top);
  Ordered required = schema.contains("required") ? schema["required"] : Ordered::array();
  for (auto const& section : table.sections) {
    schema["properties"][section.name] = schema_of(section);
    if (section.required) required.push_back(section.name);
  }
  schema["required"] = std::move(required);

  auto definitions = extract_definitions(schema);
  Ordered document;
  document["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  document["$id"] = "urn:apsis:deck:" + build_info().version;
  document["title"] = "Apsis deck";
  document.update(schema);
  document["$defs"] = std::move(definitions);
  return document.dump(2) + "\n";
}

std::string json_schema_of_part(DeckTable const& table, std::vector<std::string> const& words) {
  auto const selected = find_part(table, words);
  auto schema = schema_of_key(selected.part);
  remove_definition_names(schema);
  return schema.dump();
}

}  // namespace apsis::deck
