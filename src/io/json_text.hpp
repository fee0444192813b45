// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>
#include <apsis/core/parameter.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace apsis::io {

using Json = nlohmann::json;
using Ordered = nlohmann::ordered_json;

/// A value as decks and records have it. `parameter`: what a list of records or an object is made
/// of; may be blank for other values. Numbers that JSON cannot hold become null.
Ordered json_of(Value const& value, Parameter const& parameter);

/// Adds a problem, up to the hundredth; then says once that there are more. What a deck can make
/// Apsis say does not grow without bound, nor the time that it takes to put it into words.
inline constexpr std::size_t most_problems = 100;
inline bool enough(std::vector<Problem> const& problems) {
  return problems.size() > most_problems;
}
void add_problem(std::vector<Problem>& problems, Problem problem);

/// `path.key`, or `key` at the top, for messages: a long key is shortened.
std::string join(std::string const& path, std::string const& key);

/// Parses strict JSON (no comments, no NaN). A syntax error and every duplicate key are added to
/// `problems`; after a syntax error the result is an empty object.
Json parse_json(std::string const& text, std::string const& source, std::vector<Problem>& problems);

/// Applies `path=value`: the value is JSON, or a string if it is not. `path` is keys with dots and
/// indices in brackets: `bodies.list[0].mass`. Sections on the way are made if they are missing;
/// null removes a key. Throws a usage error if it is no assignment.
void apply_override(Json& deck, std::string const& assignment, std::vector<Problem>& problems);

}  // namespace apsis::io
