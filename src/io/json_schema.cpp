// SPDX-License-Identifier: Apache-2.0
#include <apsis/io/deck.hpp>

#include <nlohmann/json.hpp>

#include <cmath>

namespace apsis::io {

namespace {

using Ordered = nlohmann::ordered_json;

Ordered object_schema(std::vector<Parameter> const& parameters);
Ordered schema_of(Form const& form);

void set_bounds(Ordered& schema, Parameter const& parameter) {
  if (std::isfinite(parameter.minimum)) {
    schema[parameter.minimum_excluded ? "exclusiveMinimum" : "minimum"] = parameter.minimum;
  }
  if (std::isfinite(parameter.maximum)) {
    schema[parameter.maximum_excluded ? "exclusiveMaximum" : "maximum"] = parameter.maximum;
  }
}

/// Of an object with one form: that form; with several: exactly one of them.
Ordered schema_of(std::vector<Form> const& forms) {
  if (forms.size() == 1) return schema_of(forms.front());
  Ordered schema;
  schema["type"] = "object";
  schema["oneOf"] = Ordered::array();
  for (auto const& form : forms) schema["oneOf"].push_back(schema_of(form));
  return schema;
}

Ordered schema_of(Parameter const& parameter) {
  Ordered schema;
  if (parameter.kind == Kind::object) schema = schema_of(parameter.forms);
  schema["description"] = parameter.doc;
  switch (parameter.kind) {
    case Kind::text:
      schema["type"] = "string";
      break;
    case Kind::choice:
      schema["enum"] = parameter.choices;
      break;
    case Kind::boolean:
      schema["type"] = "boolean";
      break;
    case Kind::number:
      schema["type"] = "number";
      break;
    case Kind::integer:
      schema["type"] = "integer";
      break;
    case Kind::vector3:
      schema["type"] = "array";
      schema["items"] = {{"type", "number"}};
      schema["minItems"] = 3;
      schema["maxItems"] = 3;
      break;
    case Kind::numbers:
      schema["type"] = "array";
      schema["items"] = {{"type", "number"}};
      set_bounds(schema["items"], parameter);
      break;
    case Kind::object:
      break;
    case Kind::records:
      schema["type"] = "array";
      schema["items"] = object_schema(parameter.fields);
      break;
  }
  if (parameter.kind == Kind::number || parameter.kind == Kind::integer) {
    set_bounds(schema, parameter);
  }
  if (auto const* flag = std::get_if<bool>(&parameter.fallback)) schema["default"] = *flag;
  if (auto const* whole = std::get_if<std::int64_t>(&parameter.fallback))
    schema["default"] = *whole;
  if (auto const* real = std::get_if<double>(&parameter.fallback)) schema["default"] = *real;
  if (auto const* words = std::get_if<std::string>(&parameter.fallback)) schema["default"] = *words;
  if (auto const* vector = std::get_if<Vec3<double>>(&parameter.fallback)) {
    schema["default"] = {vector->x, vector->y, vector->z};
  }
  if (auto const* list = std::get_if<std::vector<double>>(&parameter.fallback)) {
    schema["default"] = *list;
  }
  return schema;
}

Ordered object_schema(std::vector<Parameter> const& parameters) {
  Ordered properties = Ordered::object();
  Ordered required = Ordered::array();
  for (auto const& parameter : parameters) {
    properties[parameter.name] = schema_of(parameter);
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

  Ordered document;
  document["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  document["title"] = "Apsis deck";
  document.update(schema);
  return document.dump(2) + "\n";
}

}  // namespace apsis::io
