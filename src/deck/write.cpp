// SPDX-License-Identifier: Apache-2.0
#include "io/json_value.hpp"
#include <apsis/deck/deck.hpp>

namespace apsis::deck {

std::string write_deck(Deck const& deck, DeckTable const& table) {
  io::Ordered json = io::json_of(table.top, deck.top);
  for (auto const& section : table.sections) {
    if (!deck.has(section.name)) continue;
    Values const& values = deck.sections.at(section.name);
    json[section.name] = io::json_of(form_of(section.forms, values), values);
  }
  return json.dump(2) + "\n";
}

}  // namespace apsis::deck
