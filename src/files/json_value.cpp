// SPDX-License-Identifier: Apache-2.0
#include "json_value.hpp"

#include "core/decimal.hpp"

#include <cmath>

namespace apsis::files {

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

}  // namespace

Ordered json_of(std::vector<Parameter> const& parameters, Values const& values) {
  Ordered::object_t object;
  add(object, parameters, values);
  return object;
}

Ordered json_of(Form const& form, Values const& values) {
  Ordered::object_t object;
  object.reserve(1 + form.parameters.size());
  if (!form.choice.empty()) object.emplace_back(form.selector, form.choice);
  add(object, form.parameters, values);
  return object;
}

Ordered json_of(Value const& value, Parameter const& parameter) {
  if (auto const* flag = std::get_if<bool>(&value)) return *flag;
  if (auto const* whole = std::get_if<std::int64_t>(&value)) return *whole;
  if (auto const* real = std::get_if<double>(&value)) {
    return std::isfinite(*real) ? Ordered(*real) : Ordered(nullptr);
  }
  if (auto const* words = std::get_if<std::string>(&value)) {
    std::uint64_t whole = 0;
    bool const is_whole =
        parameter.accepts_whole_number && read_decimal(*words, whole) == Numeral::good;
    return is_whole ? Ordered(whole) : Ordered(*words);
  }
  if (auto const* vector = std::get_if<Vec3<double>>(&value)) {
    return Ordered::array({vector->x, vector->y, vector->z});
  }
  if (auto const* list = std::get_if<std::vector<Values>>(&value)) {
    auto array = Ordered::array();
    for (auto const& record : *list) {
      array.push_back(parameter.forms.empty() ? json_of(parameter.fields, record)
                                              : json_of(form_of(parameter.forms, record), record));
    }
    return array;
  }
  if (auto const* numbers = std::get_if<std::vector<double>>(&value)) return *numbers;
  if (auto const* object = std::get_if<std::shared_ptr<Values const>>(&value)) {
    return json_of(form_of(parameter.forms, **object), **object);
  }
  return nullptr;
}

}  // namespace apsis::files
