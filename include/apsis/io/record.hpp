// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/parameter.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace apsis::io {

/// Named values in their order. A dot in a name is a step into an inner object: `units.system`.
using Record = std::vector<std::pair<std::string, Value>>;

/// A record as a JSON object; numbers that JSON cannot hold (NaN, infinity) become null.
std::string to_json(Record const& record);

/// {"environment": {...}, "rows": [{...}, ...]}: a table and what it was measured on.
std::string to_json(Record const& environment, std::vector<Record> const& rows);

/// A value in the text of a JSON object, by its name as a record has it; nothing if the text is no
/// JSON or has no such value there.
std::optional<double> number_in(std::string const& json, std::string const& name);
std::optional<std::string> text_in(std::string const& json, std::string const& name);
/// The texts that the objects of a list have by this key.
std::vector<std::string> texts_in(std::string const& json, std::string const& list,
                                  std::string const& key);

}  // namespace apsis::io
