// SPDX-License-Identifier: Apache-2.0
#include "schema_definitions.hpp"

#include <algorithm>
#include <functional>
#include <map>

namespace apsis::deck {

namespace {

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

}  // namespace

void remove_definition_names(Ordered& schema) {
  for_each_inner(schema, [](Ordered& inner) {
    if (has_name(inner)) inner.erase(definition_name);
  });
}

Ordered extract_definitions(Ordered& schema) {
  auto definitions = Ordered::object();
  while (define_innermost(schema, definitions)) {
  }
  while (define_most_repeated_property(schema, definitions)) {
  }
  return definitions;
}

}  // namespace apsis::deck
