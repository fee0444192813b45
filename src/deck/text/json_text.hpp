// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/json_value.hpp"
#include <apsis/core/error.hpp>
#include <apsis/deck/deck.hpp>

#include <algorithm>

namespace apsis::deck {

using files::Json;
using files::json_of;
using files::Ordered;

/// Maximum number of reported problems of a deck: limits the output and the time to produce it.
inline constexpr std::size_t max_problems = 100;
inline bool is_full_list(std::vector<Problem> const& problems) {
  return problems.size() > max_problems;
}
/// Adds a problem, up to max_problems; then adds once that there are more.
void add_problem(std::vector<Problem>& problems, Problem problem);

/// `path.key` for messages, or `key` if the path is empty. A long key is shortened.
std::string join(std::string const& path, std::string const& key);

/// The parameter of this name; null if there is none.
inline Parameter const* key_of(std::vector<Parameter> const& keys, std::string const& name) {
  auto const key = std::find_if(keys.begin(), keys.end(),
                                [&](Parameter const& each) { return each.name == name; });
  return key == keys.end() ? nullptr : &*key;
}

/// Parses strict JSON (no comments, no NaN). A syntax error and every duplicate key are added to
/// `problems`; after a syntax error the result is an empty object.
Json parse_json(std::string const& text, std::string const& source, std::vector<Problem>& problems);

/// Applies an assignment `path=value`. The value is JSON; a value that is not valid JSON is a
/// string. The path consists of keys separated by dots and indices in brackets:
/// `bodies.list[0].mass`. Missing sections are created; null removes a key. Throws a usage error if
/// `assignment` is not of this form.
void apply_override(Json& deck, std::string const& assignment, std::vector<Problem>& problems);

/// Part of the deck that words select.
struct DeckPart {
  Parameter deck;     ///< the whole deck as one object
  Parameter part;     ///< the selected part; without words the deck
  std::string place;  ///< the words with blanks between them
  Form form;          ///< form of the object that has the part; empty for the deck
};

/// The part at `words`, the arguments of deck_reference(). A usage error for an unknown word.
DeckPart find_part(DeckTable const& table, std::vector<std::string> const& words);

/// Returns the rule of a key with a default in dimensionless units alone: "required in physical
/// units unless half_mass_radius or core_radius is given". Empty for other keys.
inline std::string rule_in_physical_units(Parameter const& parameter) {
  if (!parameter.natural) return {};
  auto const condition = parameter.replaced_if.words();
  return "required in physical units" + (condition.empty() ? "" : " unless " + condition);
}

/// The JSON Schema of the part at `words`, without references, in one line.
std::string json_schema_of_part(DeckTable const& table, std::vector<std::string> const& words);

}  // namespace apsis::deck
