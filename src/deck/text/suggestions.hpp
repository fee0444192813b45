// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "json_text.hpp"
#include <apsis/deck/deck.hpp>

#include <string>
#include <vector>

/// Suggestions for keys and values that follow the conventions of other codes or papers.
namespace apsis::deck {

/// Suggestion for an unknown key.
struct KeySuggestion {
  std::string advice;  ///< the correct key and its place; empty if no alias matches
  std::string path;    ///< path of the correct key, which is then not reported as missing
};

/// Suggestion for an unknown key of the object at `path`, which has the keys `known`.
KeySuggestion suggest_key(DeckTable const& table, std::string const& path, std::string const& key,
                          Json const& value, std::vector<std::string> const& known);

/// Advice for a value of the key at `path` that is not one of `choices`; empty if no alias matches.
std::string advice_for_value(DeckTable const& table, std::string const& path,
                             std::string const& value, std::vector<std::string> const& choices);

/// Example of a list of records with the required fields. Contains `value`, which was given instead
/// of the list, if a field accepts it.
std::string records_for(Parameter const& parameter, Json const& value);

/// The object that probably was intended by another value: {"system": "solar"} for "solar".
std::string object_for(DeckTable const& table, std::string const& path, Json const& value,
                       Parameter const& object);

}  // namespace apsis::deck

/// Search for the proper place of misplaced keys.
namespace apsis::deck {

/// Description of the first place in the table that has this key; empty if there is none.
std::string home_of(DeckTable const& table, std::string const& key);

/// Description of the selector values for which the object has this key; empty if there are none.
std::string other_form(Parameter const& object, std::string const& key);

/// The keys of all forms that are selected by the presence of a key; empty if `json` selects a form
/// by value.
std::vector<std::string> keys_by_presence(Parameter const& object, Json const& json);

/// Among the forms selected by the presence of a key, the one that `json` probably intends: it has
/// a key of `json`, or a selector similar to one. Null if there is none.
Form const* guess_form(Parameter const& object, Json const& json);

/// The selector and choice of the only form that has all keys of `json`: `"generator":
/// "composite"`. Empty if there is no such form or more than one.
std::string guess_choice(Parameter const& object, Json const& json);

}  // namespace apsis::deck
