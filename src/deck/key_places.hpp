// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "json_text.hpp"
#include <apsis/deck/deck.hpp>

#include <string>
#include <vector>

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
