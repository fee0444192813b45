// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "json_text.hpp"
#include <apsis/io/deck.hpp>

#include <string>
#include <vector>

/// What somebody means who writes a deck as other codes or papers have it.
namespace apsis::io {

/// What to write for a key that the object at `path` does not know, whose keys are `known`: the
/// right key, and where; empty if no alias says it.
std::string advice_for_key(DeckTable const& table, std::string const& path, std::string const& key,
                           Json const& value, std::vector<std::string> const& known);

/// The same for a value of the key at `path`, which is none of `choices`.
std::string advice_for_value(DeckTable const& table, std::string const& path,
                             std::string const& value, std::vector<std::string> const& choices);

/// The object that is meant by something else in its place: {"system": "solar"} for "solar".
std::string object_for(DeckTable const& table, std::string const& path, Json const& given,
                       Parameter const& object);

}  // namespace apsis::io
