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
