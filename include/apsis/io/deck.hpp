// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>
#include <apsis/core/parameter.hpp>

#include <map>
#include <string>
#include <vector>

/// JSON decks against a declarative table. Knows JSON and nothing of physics: the table comes from
/// the driver, who makes it from the registries.
namespace apsis::io {

/// One way to fill in a section.
struct Form {
  std::string selector;  ///< the key that chooses this form; empty if the section has one form only
  std::string choice;    ///< the selector's value, a string; empty if its presence alone chooses
  std::string doc;
  std::vector<Parameter> parameters;  ///< without a selector that has a choice
  bool is_default = false;            ///< chosen if no selector is given
};

struct Section {
  std::string name;
  std::string doc;
  bool required;
  std::vector<Form> forms;
};

struct DeckTable {
  std::vector<Parameter> top;  ///< keys of the deck itself
  std::vector<Section> sections;
};

/// A deck that was read: every value that was given or has a default. A chosen form's selector is
/// among its section's values.
struct Deck {
  Values top;
  std::map<std::string, Values> sections;
  std::map<std::string, Form const*> forms;  ///< the form chosen in each section, if one was
};

/// Reads a deck, applies `path=value` overrides and checks it against the table. Whatever is wrong
/// is added to `problems` (where = "<source>: <path>"); values that are wrong are left out of the
/// deck. `table` must outlive the deck. Throws a usage error for an override without a path or "=".
Deck read_deck(std::string const& json, std::string const& source,
               std::vector<std::string> const& overrides, DeckTable const& table,
               std::vector<Problem>& problems);

/// The deck as JSON, with every default filled in and the keys in the table's order.
std::string write_deck(Deck const& deck, DeckTable const& table);

/// The table as a JSON Schema (2020-12).
std::string json_schema(DeckTable const& table);

}  // namespace apsis::io
