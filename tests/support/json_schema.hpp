// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <cmath>
#include <set>
#include <stdexcept>
#include <string>

namespace apsis::testing {

/// Returns a schema with each reference to a definition of `root` replaced by the definition, to
/// which members beside the reference are added.
inline nlohmann::json expanded(nlohmann::json const& schema, nlohmann::json const& root) {
  if (schema.is_array()) {
    auto list = nlohmann::json::array();
    for (auto const& item : schema) list.push_back(expanded(item, root));
    return list;
  }
  if (!schema.is_object()) return schema;
  auto result = nlohmann::json::object();
  if (schema.contains("$ref")) {
    auto const reference = schema["$ref"].get<std::string>();
    if (reference.rfind("#/$defs/", 0) != 0) throw std::runtime_error("reference " + reference);
    result = expanded(root.at("$defs").at(reference.substr(8)), root);
  }
  for (auto const& [keyword, rule] : schema.items()) {
    if (keyword == "$ref" || keyword == "$defs") continue;
    if (keyword == "unevaluatedProperties") {
      result["additionalProperties"] = rule;
    } else if (keyword == "properties") {
      for (auto const& [name, property] : rule.items()) {
        result["properties"][name] = expanded(property, root);
      }
    } else if (keyword == "required" && result.contains("required")) {
      for (auto const& name : rule) result["required"].push_back(name);
    } else {
      result[keyword] = expanded(rule, root);
    }
  }
  return result;
}
inline nlohmann::json expanded(nlohmann::json const& schema) {
  return expanded(schema, schema);
}

/// Validates a value against a JSON Schema. Supports the keywords that Apsis' schema uses, written
/// from the 2020-12 specification, but for references: see expanded(). Throws on an unknown
/// keyword, because it cannot check it.
inline bool valid(nlohmann::json const& schema, nlohmann::json const& value) {
  auto const type_matches = [&](std::string const& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "number") return value.is_number();
    if (type == "integer") {
      return value.is_number() && std::floor(value.get<double>()) == value.get<double>();
    }
    throw std::runtime_error("unknown type " + type);
  };
  for (auto const& [keyword, rule] : schema.items()) {
    if (keyword == "$schema" || keyword == "$id" || keyword == "title" ||
        keyword == "description" || keyword == "default") {
      continue;
    } else if (keyword == "type") {
      if (!type_matches(rule)) return false;
    } else if (keyword == "const") {
      if (value != rule) return false;
    } else if (keyword == "enum") {
      bool matches_any = false;
      for (auto const& choice : rule) matches_any = matches_any || choice == value;
      if (!matches_any) return false;
    } else if (keyword == "minimum") {
      if (value.is_number() && value.get<double>() < rule.get<double>()) return false;
    } else if (keyword == "exclusiveMinimum") {
      if (value.is_number() && value.get<double>() <= rule.get<double>()) return false;
    } else if (keyword == "exclusiveMaximum") {
      if (value.is_number() && value.get<double>() >= rule.get<double>()) return false;
    } else if (keyword == "maximum") {
      if (value.is_number() && value.get<double>() > rule.get<double>()) return false;
    } else if (keyword == "minItems") {
      if (value.is_array() && value.size() < rule.get<std::size_t>()) return false;
    } else if (keyword == "maxItems") {
      if (value.is_array() && value.size() > rule.get<std::size_t>()) return false;
    } else if (keyword == "items") {
      if (value.is_array()) {
        for (auto const& item : value) {
          if (!valid(rule, item)) return false;
        }
      }
    } else if (keyword == "properties") {
      if (value.is_object()) {
        for (auto const& [name, property] : rule.items()) {
          if (value.contains(name) && !valid(property, value.at(name))) return false;
        }
      }
    } else if (keyword == "required") {
      if (value.is_object()) {
        for (auto const& name : rule) {
          if (!value.contains(name.get<std::string>())) return false;
        }
      }
    } else if (keyword == "additionalProperties") {
      if (rule != false) throw std::runtime_error("additionalProperties must be false");
      if (value.is_object()) {
        for (auto const& item : value.items()) {
          if (!schema.at("properties").contains(item.key())) return false;
        }
      }
    } else if (keyword == "oneOf") {
      int matches = 0;
      for (auto const& option : rule) matches += valid(option, value) ? 1 : 0;
      if (matches != 1) return false;
    } else {
      throw std::runtime_error("unknown keyword " + keyword);
    }
  }
  return true;
}

}  // namespace apsis::testing
