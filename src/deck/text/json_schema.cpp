// SPDX-License-Identifier: Apache-2.0
#include "json_text.hpp"
#include <apsis/core/machine.hpp>

#include <array>
#include <cmath>
#include <functional>

namespace apsis::deck {

namespace {

/// Member of a schema that holds the name of its definition, until definitions are extracted.
constexpr char const* definition_name = "$name";

using Places = std::vector<Ordered*>;

/// Calls visit(schema) for every object and array within, inner ones first.
void for_each_inner(Ordered& schema, std::function<void(Ordered&)> const& visit) {
  if (!schema.is_structured()) return;
  for (auto& member : schema) for_each_inner(member, visit);
  visit(schema);
}

bool has_name(Ordered const& schema) {
  return schema.is_object() && schema.contains(definition_name);
}

/// Whether a schema within this one has a name.
bool has_inner_name(Ordered const& schema) {
  if (!schema.is_structured()) return false;
  return std::any_of(schema.begin(), schema.end(), [](Ordered const& member) {
    return has_name(member) || has_inner_name(member);
  });
}

Ordered reference_to(std::string const& name) {
  return {{"$ref", "#/$defs/" + name}};
}

/// Whether `schema` has this member with the same value as `first`.
bool shares(Ordered const& schema, Ordered const& first, std::string const& member) {
  return schema.contains(member) && schema[member] == first[member];
}

/// Returns the part of an object that all `objects` have.
Ordered common_members(std::vector<Ordered const*> const& objects) {
  auto common = Ordered::object();
  auto const& first = *objects.front();
  for (auto const& [name, value] : first.items()) {
    bool const is_common =
        std::all_of(objects.begin(), objects.end(),
                    [&, &key = name](Ordered const* other) { return shares(*other, first, key); });
    if (is_common) common[name] = value;
  }
  return common;
}

/// Returns the names in a list `required` that are properties of `schema`.
Ordered required_of(Ordered const& schema, Ordered const& required) {
  auto names = Ordered::array();
  for (auto const& name : required) {
    if (schema["properties"].contains(name.get<std::string>())) names.push_back(name);
  }
  return names;
}

/// Returns an open schema of what the schemas at all places have in common.
Ordered common_schema(Places const& places) {
  std::vector<Ordered const*> schemas, properties;
  for (auto const* place : places) {
    schemas.push_back(place);
    properties.push_back(&(*place)["properties"]);
  }
  auto common = common_members(schemas);
  common.erase("additionalProperties");
  common["properties"] = common_members(properties);
  if (auto const& first = *places.front(); first.contains("required")) {
    auto required = required_of(common, first["required"]);
    if (!required.empty()) common["required"] = std::move(required);
  }
  return common;
}

/// Returns a reference to the definition, with the members that only this schema has.
Ordered extended_reference(std::string const& name, Ordered const& definition,
                           Ordered const& schema) {
  auto reference = reference_to(name);
  for (auto const& [member, value] : schema.items()) {
    if (member == "properties" || member == "required" || member == "additionalProperties") {
      continue;
    }
    if (!shares(definition, schema, member)) reference[member] = value;
  }
  auto extra_properties = Ordered::object();
  for (auto const& [key, property] : schema["properties"].items()) {
    if (!definition["properties"].contains(key)) extra_properties[key] = property;
  }
  if (!extra_properties.empty()) reference["properties"] = std::move(extra_properties);
  if (schema.contains("required") && reference.contains("properties")) {
    auto required = required_of(reference, schema["required"]);
    if (!required.empty()) reference["required"] = std::move(required);
  }
  reference["unevaluatedProperties"] = false;
  return reference;
}

/// Returns the definition of the schemas at these places, and replaces them by references to it.
Ordered define(std::string const& name, Places const& places) {
  for (auto* place : places) place->erase(definition_name);
  auto const& first = *places.front();
  bool const is_one = std::all_of(places.begin(), places.end(),
                                  [&](Ordered const* other) { return *other == first; });
  auto definition = is_one ? first : common_schema(places);
  for (auto* place : places) {
    *place = is_one ? reference_to(name) : extended_reference(name, definition, *place);
  }
  return definition;
}

/// Defines the named schemas that have no named schema within them. Returns whether there are any.
bool define_innermost(Ordered& schema, Ordered& definitions) {
  std::map<std::string, Places> places_by_name;
  std::vector<std::string> names;  // in the order of the schema
  for_each_inner(schema, [&](Ordered& inner) {
    if (!has_name(inner)) return;
    auto const name = inner[definition_name].get<std::string>();
    if (places_by_name[name].empty()) names.push_back(name);
    places_by_name[name].push_back(&inner);
  });
  bool is_any = false;
  for (auto const& name : names) {
    auto const& places = places_by_name[name];
    if (std::any_of(places.begin(), places.end(),
                    [](Ordered const* place) { return has_inner_name(*place); })) {
      continue;
    }
    definitions[name] = define(name, places);
    is_any = true;
  }
  return is_any;
}

/// Schemas of properties by key and text, with the places where they stand.
using RepeatedProperties = std::map<std::string, std::map<std::string, Places>>;

void collect_properties(Ordered& schema, RepeatedProperties& repeated) {
  constexpr std::size_t shortest = 120;
  for_each_inner(schema, [&](Ordered& inner) {
    if (!inner.is_object() || !inner.contains("properties")) return;
    for (auto& [key, property] : inner["properties"].get_ref<Ordered::object_t&>()) {
      auto text = property.dump();
      if (text.size() >= shortest) repeated[key][std::move(text)].push_back(&property);
    }
  });
}

/// Defines the property schema with the largest repetitions, under its key. Returns whether
/// there is one. Only one at a time, because it may contain others.
bool define_most_repeated_property(Ordered& schema, Ordered& definitions) {
  constexpr std::size_t fewest = 3;
  RepeatedProperties repeated;
  collect_properties(schema, repeated);
  collect_properties(definitions, repeated);
  std::string best_key;
  Places const* best = nullptr;
  std::size_t best_size = 0;
  for (auto const& [key, places_by_text] : repeated) {
    if (definitions.contains(key)) continue;
    for (auto const& [text, places] : places_by_text) {
      auto const size = text.size() * places.size();
      if (places.size() < fewest || size <= best_size) continue;
      best_key = key;
      best = &places;
      best_size = size;
    }
  }
  if (best == nullptr) return false;
  auto definition = *best->front();
  for (auto* place : *best) *place = reference_to(best_key);
  definitions[best_key] = std::move(definition);
  return true;
}

/// Removes the names of definitions from a schema: every object then stands where it is used.
void remove_definition_names(Ordered& schema) {
  for_each_inner(schema, [](Ordered& inner) {
    if (has_name(inner)) inner.erase(definition_name);
  });
}

/// Moves the schemas that have a name, and property schemas that are repeated, to definitions, and
/// replaces them by references. Returns the definitions, an object for "$defs".
///
/// Schemas of one name may differ, as the models of bodies do: they have more keys at top level
/// than within parts. The definition then holds what all of them have in common and is open; each
/// reference adds the rest, and closes itself with "unevaluatedProperties".
///
///     "$defs": {"bodies.plummer": {"properties": {"count": ..., "mass": ...}}}
///     at top level: {"$ref": "#/$defs/bodies.plummer", "properties": {"henon_units": ...},
///                    "unevaluatedProperties": false}
///     in a part:    {"$ref": "#/$defs/bodies.plummer", "unevaluatedProperties": false}
Ordered extract_definitions(Ordered& schema) {
  auto definitions = Ordered::object();
  while (define_innermost(schema, definitions)) {
  }
  while (define_most_repeated_property(schema, definitions)) {
  }
  return definitions;
}

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

/// Schema of an object: of its only form, or one of several. `owner`: name of the parameter.
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

/// Schema of a value with two types: a number or a quantity, a text or a whole number.
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
