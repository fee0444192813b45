// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/parameter.hpp>

#include <nlohmann/json.hpp>

#include <vector>

/// Conversion of values to JSON. The room `deck` includes this header as well.
namespace apsis::files {

using Json = nlohmann::json;
using Ordered = nlohmann::ordered_json;

/// Converts values to an object with the keys of the parameters, in their order.
Ordered json_of(std::vector<Parameter> const& parameters, Values const& values);

/// Converts values to an object of this form; its selector comes first.
Ordered json_of(Form const& form, Values const& values);

/// Converts a value to JSON. `parameter` describes the content of a list of records or of an
/// object; it may be blank for other values. Numbers that JSON cannot represent become null.
Ordered json_of(Value const& value, Parameter const& parameter);

}  // namespace apsis::files
