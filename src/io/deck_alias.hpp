// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "json_text.hpp"
#include <apsis/io/deck.hpp>

#include <string>
#include <vector>

/// What somebody means who writes a deck as other codes or papers have it.
namespace apsis::io {

/// What is meant by a key that an object does not know.
struct MeantKey {
  std::string advice;  ///< the right key, and where; empty if no alias says it
  std::string path;    ///< of the right key, which then is not missing
};

/// What is meant by a key of the object at `path`, whose keys are `known`.
MeantKey meant_key(DeckTable const& table, std::string const& path, std::string const& key,
                   Json const& value, std::vector<std::string> const& known);

/// The same for a value of the key at `path`, which is none of `choices`.
std::string advice_for_value(DeckTable const& table, std::string const& path,
                             std::string const& value, std::vector<std::string> const& choices);

/// A list of records with what each needs; the value that was given in its place among it.
std::string records_for(Parameter const& parameter, Json const& given);

/// The object that is meant by something else in its place: {"system": "solar"} for "solar".
std::string object_for(DeckTable const& table, std::string const& path, Json const& given,
                       Parameter const& object);

}  // namespace apsis::io
