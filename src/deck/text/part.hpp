// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/deck/deck.hpp>

#include <string>
#include <vector>

namespace apsis::deck {

/// Part of the deck that words select.
struct DeckPart {
  Parameter deck;     ///< the whole deck as one object
  Parameter part;     ///< the selected part; without words the deck
  std::string place;  ///< the words with blanks between them
  Form form;          ///< form of the object that has the part; empty for the deck
};

/// Returns the part at `words`, the arguments of deck_reference(). Throws a usage error for an
/// unknown word.
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
