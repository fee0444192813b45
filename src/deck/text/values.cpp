// SPDX-License-Identifier: Apache-2.0
#include "values.hpp"

#include <apsis/core/text.hpp>

#include <cmath>
#include <utility>

namespace apsis::deck {

namespace {

bool is_vector(Json const& json) {
  if (!json.is_array() || json.size() != 3) return false;
  for (auto const& component : json) {
    if (!component.is_number() || !std::isfinite(component.get<double>())) return false;
  }
  return true;
}

}  // namespace

void DeckFaults::add(std::string const& path, std::string what, std::string why,
                     std::string advice) {
  ++count_;
  add_problem(problems_, {path.empty() ? source_ : source_ + ": " + path, std::move(what),
                          std::move(why), std::move(advice)});
}

bool DeckFaults::skip() {
  bool const is_full = is_full_list(problems_);
  count_ += is_full ? 1 : 0;
  return is_full;
}

std::string describe(Json const& json) {
  if (json.is_object()) return "an object";
  std::string const text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (json.is_array() && text.size() > 40) {
    return "an array of " + std::to_string(json.size());
  }
  return shortened(text, 40);
}

void DeckValues::not_among(std::string const& path, Json const& json,
                           std::vector<std::string> const& choices) {
  std::string advice = "must be one of " + quoted_list(choices);
  auto const suggestion = json.is_string() ? advice_for_value(table_, path, json, choices) : "";
  if (!suggestion.empty()) {
    advice += "; " + suggestion;
  } else if (json.is_string()) {
    auto const close = nearest(json.get<std::string>(), choices);
    if (!close.empty()) advice += "; did you mean '" + close + "'?";
  }
  faults_.add(path, json.is_string() ? "unknown value" : "wrong type", "found " + describe(json),
              advice);
}

std::optional<Value> DeckValues::read(std::string const& path, Json const& json,
                                      Parameter const& parameter) {
  switch (parameter.kind) {
    case Kind::text:
      if (json.is_string()) return read_text(path, json.get<std::string>());
      if (parameter.accepts_whole_number && json.is_number_unsigned()) return json.dump();
      break;
    case Kind::choice:
      for (auto const& name : parameter.choices) {
        if (json == name) return name;
      }
      not_among(path, json, parameter.choices);
      return std::nullopt;
    case Kind::boolean:
      if (json.is_boolean()) return json.get<bool>();
      break;
    case Kind::number:
      if (json.is_number()) return in_range(path, json, json.get<double>(), parameter);
      if (parameter.quantity_dimension && json.is_string())
        return read_quantity(path, json, parameter);
      for (auto const& word : parameter.choices) {
        if (json == word) return word;
      }
      break;
    case Kind::integer:
      // 1000.0 and 1e3 are integers too, as in JSON Schema.
      if (json.is_number() && json.get<double>() == std::floor(json.get<double>())) {
        return read_integer(path, json, parameter);
      }
      break;
    case Kind::vector3:
      if (is_vector(json)) {
        return Vec3<double>{json[0].get<double>(), json[1].get<double>(), json[2].get<double>()};
      }
      break;
    case Kind::numbers:
      if (json.is_array()) return read_numbers(path, json, parameter);
      break;
    case Kind::object:
    case Kind::records:
      APSIS_EXPECT(false, "objects and lists of records are read by Reader");
  }
  bool const number = parameter.kind == Kind::number && json.is_string();
  if (number && quantity_in(json.get<std::string>())) {
    faults_.add(path, "wrong type", "found " + describe(json),
                "write the number alone, in the deck's units (only `units` has units by name)");
    return std::nullopt;
  }
  auto const suggestion =
      json.is_string() ? advice_for_value(table_, path, json.get<std::string>(), {}) : "";
  faults_.add(path, "wrong type", "found " + describe(json),
              suggestion.empty() ? "must be " + allowed(parameter) : suggestion);
  return std::nullopt;
}

/// Rejects a text with a NUL, at which the system would truncate a file name.
std::optional<Value> DeckValues::read_text(std::string const& path, std::string text) {
  if (text.find('\0') == std::string::npos) return text;
  faults_.add(path, "has a NUL character", "no name or line has one", "remove the \\u0000");
  return std::nullopt;
}

std::optional<Value> DeckValues::read_quantity(std::string const& path, Json const& json,
                                               Parameter const& parameter) {
  auto const words = json.get<std::string>();
  bool const in_si = parameter.quantity_units == QuantityUnits::si;
  auto const quantity = in_si ? quantity_in(words) : signed_quantity_in(words);
  if (quantity && quantity->dimension == *parameter.quantity_dimension) {
    if (!in_range(path, json, quantity->si, parameter)) return std::nullopt;
    // The units of the deck are known after all values were read, see convert_quantities().
    return in_si ? Value(quantity->si) : Value(words);
  }
  faults_.add(path, "not a unit of its kind", "found " + describe(json),
              "must be " + allowed(parameter));
  return std::nullopt;
}

std::optional<Value> DeckValues::read_integer(std::string const& path, Json const& json,
                                              Parameter const& parameter) {
  double const approximate = json.get<double>();
  if (!in_range(path, json, approximate, parameter)) return std::nullopt;
  if (std::abs(approximate) > 0x1p62) {
    faults_.add(path, "out of range", "found " + describe(json), "must be below 2^62");
    return std::nullopt;
  }
  if (json.is_number_integer()) return json.get<std::int64_t>();
  return static_cast<std::int64_t>(approximate);
}

std::optional<Value> DeckValues::in_range(std::string const& path, Json const& json, double value,
                                          Parameter const& parameter) {
  bool const above =
      parameter.minimum_excluded ? value > parameter.minimum : value >= parameter.minimum;
  bool const below =
      parameter.maximum_excluded ? value < parameter.maximum : value <= parameter.maximum;
  if (std::isfinite(value) && above && below) return value;
  auto one = parameter;
  if (one.kind == Kind::numbers) one.kind = Kind::number;
  faults_.add(path, "out of range", "found " + describe(json), "must be " + allowed(one));
  return std::nullopt;
}

std::optional<Value> DeckValues::read_numbers(std::string const& path, Json const& array,
                                              Parameter const& parameter) {
  std::vector<double> list;
  for (std::size_t i = 0; i < array.size(); ++i) {
    std::string const element = path + "[" + std::to_string(i) + "]";
    if (!array[i].is_number()) {
      faults_.add(element, "wrong type", "found " + describe(array[i]), "write a number");
    } else if (in_range(element, array[i], array[i].get<double>(), parameter)) {
      list.push_back(array[i].get<double>());
    }
  }
  if (list.size() != array.size()) return std::nullopt;
  return list;
}

}  // namespace apsis::deck
