// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "json_text.hpp"
#include <apsis/io/deck.hpp>

#include <string>
#include <vector>

/// Where keys belong that are not where they belong.
namespace apsis::io {

/// The first place in the table where `key` is one, in words; empty if there is none.
std::string home_of(DeckTable const& table, std::string const& key);

/// The values of an object's selector with which it has a key, in words; empty if there are none.
std::string other_form(Parameter const& object, std::string const& key);

/// The keys of the forms that a key chooses by being there, if none is chosen by a value.
std::vector<std::string> keys_by_presence(Parameter const& object, Json const& given);

/// The form of those that seems to be meant by a word near its key; null if none is.
Form const* form_meant(Parameter const& object, Json const& given);

/// `"generator": "composite"`, if that is the one form that has all the keys that are given; empty
/// if not.
std::string choice_meant(Parameter const& object, Json const& given);

}  // namespace apsis::io
