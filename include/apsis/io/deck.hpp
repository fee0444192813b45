// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>
#include <apsis/core/parameter.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

/// JSON decks against a declarative table. Knows JSON and nothing of physics: the table comes from
/// the driver, who makes it from the registries.
namespace apsis::io {

/// A word that people type for a key, or for a value of one, as other codes or papers have it.
struct DeckAlias {
  std::string word;  ///< "dt"; capitals, '_' and '-' count only where two words differ by them
  /// Of the key that is meant, without indices: "integrator.time_step"; empty if there is none.
  std::string path;
  /// If `word` is a value of that key: the value that is meant, or what to write instead of both.
  /// If there is no key, or `path` is an object and a dot: what to do instead.
  std::string value{};
};

struct DeckTable {
  std::vector<Parameter> top;       ///< keys of the deck itself
  std::vector<Parameter> sections;  ///< its objects
  std::vector<DeckAlias> aliases{};
};

/// A deck that was read: every value that was given or has a default. The selector of a form that
/// has choices is among the object's values. A section that is neither given nor there always, or
/// whose form is not known, is missing.
struct Deck {
  Values top;
  std::map<std::string, Values> sections;
  /// Paths of keys that were given by another word: that is wrong, and they are not missing
  /// besides.
  std::set<std::string> meant;

  bool has(std::string const& section) const { return sections.count(section) != 0; }
};

/// Reads a deck, applies `path=value` overrides and checks it against the table. Whatever is wrong
/// is added to `problems` (where = "<source>: <path>"); values that are wrong are left out of the
/// deck. `table` must outlive the deck. Throws a usage error for an override without a path or "=".
Deck read_deck(std::string const& json, std::string const& source,
               std::vector<std::string> const& overrides, DeckTable const& table,
               std::vector<Problem>& problems);

/// The deck as JSON, with every default filled in and the keys in the table's order.
std::string write_deck(Deck const& deck, DeckTable const& table);

/// What differs between two resolved decks.
struct DeckDifference {
  std::string path;    ///< "run.end_time", "bodies.list[0].mass"
  std::string before;  ///< JSON, or "not there"
  std::string after;
};
std::vector<DeckDifference> deck_differences(std::string const& before, std::string const& after);

/// Whether the table lets the value at this path change when a run is resumed.
bool may_change(std::string const& path, DeckTable const& table);

/// What a user may write at a place in a deck, to read: name, type and range, default, unit and
/// meaning of each key. `words` lead there, from the deck's sections down: a key ("gravity",
/// "softening"), or what chooses a form ("bodies", "plummer"). Throws a usage error for a word that
/// leads nowhere.
std::string deck_reference(DeckTable const& table, std::vector<std::string> const& words);

/// The table as a JSON Schema (2020-12).
std::string json_schema(DeckTable const& table);

}  // namespace apsis::io
