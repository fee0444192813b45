// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/parameter.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace apsis::files {

/// Ordered list of named values. A dot in a name denotes a nested object: `units.system`.
using Record = std::vector<std::pair<std::string, Value>>;

/// A record as a JSON object; numbers that JSON cannot represent (NaN, infinity) become null.
std::string to_json(Record const& record);

/// {"environment": {...}, "rows": [{...}, ...]}: a table of measurements and their environment.
std::string to_json(Record const& environment, std::vector<Record> const& rows);

/// A value of a JSON object by its name in a Record; nothing if the text has no such value.
std::optional<double> number_in(std::string const& json, std::string const& name);
std::optional<std::string> text_in(std::string const& json, std::string const& name);

}  // namespace apsis::files
