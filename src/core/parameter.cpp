// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/error.hpp>
#include <apsis/core/parameter.hpp>
#include <apsis/core/text.hpp>

#include <cmath>
#include <utility>

namespace apsis {

void Values::set(std::string const& name, Value value) {
  values_[name] = std::move(value);
}

Value const& Values::at(std::string const& name) const {
  auto const found = values_.find(name);
  APSIS_EXPECT(found != values_.end(), "a parameter was asked for that no table declares: " + name);
  return found->second;
}

template <class T>
T const& Values::get(std::string const& name) const {
  auto const* value = std::get_if<T>(&at(name));
  APSIS_EXPECT(value != nullptr, "a parameter was asked for as another kind: " + name);
  return *value;
}

double Values::number(std::string const& name) const {
  return get<double>(name);
}
std::int64_t Values::integer(std::string const& name) const {
  return get<std::int64_t>(name);
}
bool Values::boolean(std::string const& name) const {
  return get<bool>(name);
}
std::string const& Values::text(std::string const& name) const {
  return get<std::string>(name);
}
Vec3<double> Values::vector3(std::string const& name) const {
  return get<Vec3<double>>(name);
}
std::vector<Values> const& Values::records(std::string const& name) const {
  return get<std::vector<Values>>(name);
}

Parameter&& Parameter::needed() && {
  required = true;
  return std::move(*this);
}
Parameter&& Parameter::or_else(Value value) && {
  fallback = std::move(value);
  return std::move(*this);
}
Parameter&& Parameter::at_least(double bound) && {
  minimum = bound;
  return std::move(*this);
}
Parameter&& Parameter::above(double bound) && {
  minimum = bound;
  minimum_excluded = true;
  return std::move(*this);
}
Parameter&& Parameter::at_most(double bound) && {
  maximum = bound;
  return std::move(*this);
}

namespace {
Parameter make(std::string name, Kind kind, std::string doc) {
  Parameter parameter;
  parameter.name = std::move(name);
  parameter.kind = kind;
  parameter.doc = std::move(doc);
  return parameter;
}
}  // namespace

Parameter number(std::string name, std::string doc) {
  return make(std::move(name), Kind::number, std::move(doc));
}
Parameter integer(std::string name, std::string doc) {
  return make(std::move(name), Kind::integer, std::move(doc));
}
Parameter boolean(std::string name, std::string doc) {
  return make(std::move(name), Kind::boolean, std::move(doc));
}
Parameter text(std::string name, std::string doc) {
  return make(std::move(name), Kind::text, std::move(doc));
}
Parameter vector3(std::string name, std::string doc) {
  return make(std::move(name), Kind::vector3, std::move(doc));
}
Parameter choice(std::string name, std::vector<std::string> choices, std::string doc) {
  auto parameter = make(std::move(name), Kind::choice, std::move(doc));
  parameter.choices = std::move(choices);
  return parameter;
}
Parameter records(std::string name, std::vector<Parameter> fields, std::string doc) {
  auto parameter = make(std::move(name), Kind::records, std::move(doc));
  parameter.fields = std::move(fields);
  return parameter;
}

std::string allowed(Parameter const& parameter) {
  std::string words;
  switch (parameter.kind) {
    case Kind::text:
      return "a string";
    case Kind::choice:
      return "one of " + quoted_list(parameter.choices);
    case Kind::boolean:
      return "true or false";
    case Kind::vector3:
      return "an array of three finite numbers";
    case Kind::records:
      return "an array of objects";
    case Kind::number:
      words = "a finite number";
      break;
    case Kind::integer:
      words = "a whole number";
      break;
  }
  bool const below = std::isfinite(parameter.maximum);
  if (std::isfinite(parameter.minimum)) {
    words += (parameter.minimum_excluded ? " > " : " >= ") + shortest(parameter.minimum);
    if (below) words += " and";
  }
  if (below) words += " <= " + shortest(parameter.maximum);
  return words;
}

}  // namespace apsis
