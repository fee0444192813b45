// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/parameter.hpp>
#include <apsis/core/text.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace apsis {

Parameter::Parameter(std::string_view name_, Kind kind_, std::string_view doc_)
    : name(name_), kind(kind_), doc(doc_) {}

void Values::set(std::string const& name, Value value) {
  values_[name] = std::move(value);
}

Value const& Values::value(std::string const& name) const {
  auto const entry = values_.find(name);
  APSIS_EXPECT(entry != values_.end(), "no table declares the requested parameter: " + name);
  return entry->second;
}

bool Condition::holds(Values const& values) const {
  return std::any_of(keys.begin(), keys.end(), [&](std::string const& key) {
    if (choices.empty()) return values.has(key);
    auto const dot = key.find('.');
    if (!values.has(key.substr(0, dot))) return false;
    auto const choice = values.object(key.substr(0, dot)).text(key.substr(dot + 1));
    return std::find(choices.begin(), choices.end(), choice) != choices.end();
  });
}

std::string Condition::words() const {
  std::string words;
  for (auto const& word : choices.empty() ? keys : choices) {
    if (!words.empty()) words += " or ";
    words += choices.empty() ? word : "'" + word + "'";
  }
  if (words.empty()) return words;
  return choices.empty() ? words + " is given" : keys.front() + " is " + words;
}

Parameter&& Parameter::with_default(Value value) && {
  fallback = std::move(value);
  return std::move(*this);
}
Parameter&& Parameter::with_default_in_natural_units(Value value) && {
  fallback = std::move(value);
  natural = true;
  return std::move(*this);
}
Parameter&& Parameter::needed_unless(std::vector<std::string> replacing_keys,
                                     std::vector<std::string> replacing_choices) && {
  replaced_if = {std::move(replacing_keys), std::move(replacing_choices)};
  return std::move(*this);
}
Parameter&& Parameter::above(double bound) && {
  minimum = bound;
  minimum_excluded = true;
  return std::move(*this);
}
Parameter&& Parameter::below(double bound) && {
  maximum = bound;
  maximum_excluded = true;
  return std::move(*this);
}
Parameter&& Parameter::or_quantity(Dimension dimension, QuantityUnits units) && {
  quantity_dimension = dimension;
  quantity_units = units;
  return std::move(*this);
}
Parameter number(std::string_view name, std::string_view doc) {
  return Parameter(name, Kind::number, doc);
}
Parameter positive(std::string_view name, std::string_view doc) {
  return number(name, doc).above(0.0);
}
Parameter integer(std::string_view name, std::string_view doc) {
  return Parameter(name, Kind::integer, doc);
}
Parameter boolean(std::string_view name, std::string_view doc) {
  return Parameter(name, Kind::boolean, doc);
}
Parameter text(std::string_view name, std::string_view doc) {
  return Parameter(name, Kind::text, doc);
}
Parameter vector3(std::string_view name, std::string_view doc) {
  return Parameter(name, Kind::vector3, doc);
}
Parameter choice(std::string_view name, std::vector<std::string> choices, std::string_view doc) {
  Parameter parameter(name, Kind::choice, doc);
  parameter.choices = std::move(choices);
  return parameter;
}
Parameter numbers(std::string_view name, std::string_view doc) {
  return Parameter(name, Kind::numbers, doc);
}
Parameter records(std::string_view name, std::vector<Parameter> fields, std::string_view doc) {
  Parameter parameter(name, Kind::records, doc);
  parameter.minimum = 1;
  parameter.fields = std::move(fields);
  return parameter;
}

Parameter object(std::string_view name, std::vector<Form> forms, std::string_view doc) {
  Parameter parameter(name, Kind::object, doc);
  parameter.forms = std::move(forms);
  return parameter;
}
Parameter object(std::string_view name, std::vector<Parameter> fields, std::string_view doc) {
  std::vector<Form> forms;
  forms.push_back({"", "", "", std::move(fields), true});
  return object(name, std::move(forms), doc);
}

Values defaults(std::vector<Parameter> const& parameters) {
  Values values;
  for (auto const& parameter : parameters) {
    if (!std::holds_alternative<std::monostate>(parameter.fallback)) {
      values.set(parameter.name, parameter.fallback);
    }
    if (parameter.kind != Kind::object || !parameter.is_always_present) continue;
    for (auto const& form : parameter.forms) {
      if (!form.is_default) continue;
      auto object = defaults(form.parameters);
      if (!form.choice.empty()) object.set(form.selector, form.choice);
      values.set(parameter.name, std::make_shared<Values const>(std::move(object)));
    }
  }
  return values;
}

Form const& form_of(std::vector<Form> const& forms, Values const& values) {
  for (auto const& form : forms) {
    if (form.selector.empty()) return form;
    if (!values.has(form.selector)) continue;
    if (form.choice.empty() || values.text(form.selector) == form.choice) return form;
  }
  throw Error(ExitStatus::internal, Problem{"form_of", "the values have no form", "", ""});
}

namespace {
/// Whether a value of this parameter contains a key with a default for dimensionless units only.
bool contains_natural(Parameter const& parameter) {
  auto const any = [](std::vector<Parameter> const& parameters) {
    return std::any_of(parameters.begin(), parameters.end(), [](Parameter const& inner) {
      return inner.natural || contains_natural(inner);
    });
  };
  return any(parameter.fields) ||
         std::any_of(parameter.forms.begin(), parameter.forms.end(),
                     [&](Form const& form) { return any(form.parameters); });
}
}  // namespace

void complete(std::vector<Parameter> const& parameters, bool are_natural, std::string const& path,
              Values& values,
              std::function<void(std::string const& path, Parameter const&)> const& missing) {
  for (auto const& parameter : parameters) {
    std::string const key = path + "." + parameter.name;
    if (!values.has(parameter.name)) {
      if (!parameter.natural) continue;
      if (are_natural) {
        bool const has_default = !std::holds_alternative<std::monostate>(parameter.fallback);
        if (has_default) values.set(parameter.name, parameter.fallback);
      } else if (!parameter.replaced_if.holds(values)) {
        missing(key, parameter);
      }
      continue;
    }
    // A list of bodies may be long: do not copy values that need no completion.
    if (!contains_natural(parameter)) continue;
    if (parameter.kind == Kind::records) {
      auto records = values.records(parameter.name);
      for (std::size_t k = 0; k < records.size(); ++k) {
        complete(parameter.fields, are_natural, key + "[" + std::to_string(k) + "]", records[k],
                 missing);
      }
      values.set(parameter.name, std::move(records));
    } else {
      Values inner = values.object(parameter.name);
      complete(parameter.forms, are_natural, key, inner, missing);
      values.set(parameter.name, std::make_shared<Values const>(std::move(inner)));
    }
  }
}

void complete(std::vector<Form> const& forms, bool are_natural, std::string const& path,
              Values& values,
              std::function<void(std::string const& path, Parameter const&)> const& missing) {
  complete(form_of(forms, values).parameters, are_natural, path, values, missing);
}

namespace {
/// Bounds of a parameter, with a leading space: " > 0 and < 1". Empty if it is unbounded.
std::string bounds(Parameter const& parameter) {
  std::string words;
  bool const below = std::isfinite(parameter.maximum);
  if (std::isfinite(parameter.minimum)) {
    words += (parameter.minimum_excluded ? " > " : " >= ") + shortest(parameter.minimum);
    if (below) words += " and";
  }
  if (below) words += (parameter.maximum_excluded ? " < " : " <= ") + shortest(parameter.maximum);
  return words;
}

/// An example and the names of the units of a dimension: `"kpc": au, pc, kpc ...`.
std::string units_of(Dimension dimension) {
  if (dimension == dimension::velocity) return "\"km/s\": a length over a time";
  std::string names;
  for (auto const& unit : named_units()) {
    if (unit.dimension == dimension) names += (names.empty() ? "" : ", ") + unit.name;
  }
  return (dimension == dimension::mass   ? "\"1e10 Msun\": "
          : dimension == dimension::time ? "\"Myr\": "
                                         : "\"kpc\": ") +
         names;
}
}  // namespace

std::string allowed(Parameter const& parameter) {
  switch (parameter.kind) {
    case Kind::text:
      return parameter.accepts_whole_number ? "a string or a whole number" : "a string";
    case Kind::choice:
      return "one of " + quoted_list(parameter.choices);
    case Kind::boolean:
      return "true or false";
    case Kind::vector3:
      return "an array of three finite numbers";
    case Kind::numbers:
      return "an array of finite numbers" + bounds(parameter);
    case Kind::records:
      return "an array of one object or more";
    case Kind::object:
      return "an object";
    case Kind::number:
      return "a finite number" + bounds(parameter) +
             (parameter.quantity_dimension
                  ? ", or a unit by its name, as " + units_of(*parameter.quantity_dimension)
                  : "") +
             (parameter.choices.empty() ? "" : ", or " + quoted_list(parameter.choices));
    case Kind::integer:
      return "a whole number" + bounds(parameter);
  }
  return "";
}

}  // namespace apsis
