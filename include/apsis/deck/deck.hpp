// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>
#include <apsis/core/parameter.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

/// Reading, writing and comparing JSON decks according to a declarative table. Independent of the
/// physics: configure() takes the table from the registries.
namespace apsis::deck {

/// A name of a key or of a value in other codes or papers, for suggestions in error messages.
struct DeckAlias {
  std::string word;  ///< "dt"; case, '_' and '-' matter only between aliases that differ by them
  /// Path of the corresponding key, without indices: "integrator.time_step"; empty if there is
  /// none.
  std::string path;
  /// If `word` is a value of that key: the correct value, or what to write instead of key and
  /// value. If there is no key, or `path` is an object followed by a dot: advice on what to do
  /// instead.
  std::string value{};
};

struct DeckTable {
  std::vector<Parameter> top;       ///< top-level keys that are not sections
  std::vector<Parameter> sections;  ///< top-level objects
  std::vector<DeckAlias> aliases{};
};

/// The values of a deck: all that are given or have a default. The values of an object include the
/// selector of a form with choices. A section is missing if it is not given and not always present,
/// or if its form is unknown.
struct Deck {
  Values top;
  std::map<std::string, Values> sections;
  /// Paths of keys that were given under another name. Each is reported as an error once, and not
  /// as missing in addition.
  std::set<std::string> misnamed;

  bool has(std::string const& section) const { return sections.count(section) != 0; }
};

/// Reads a deck, applies `path=value` overrides and checks it against the table. All errors are
/// added to `problems` (where = "<source>: <path>"), and wrong values are left out of the deck.
/// `table` must outlive the deck. Throws a usage error for an override without a path or "=".
Deck read_deck(std::string const& json, std::string const& source,
               std::vector<std::string> const& overrides, DeckTable const& table,
               std::vector<Problem>& problems);

/// The deck as JSON, with all defaults filled in and the keys in the order of the table.
std::string write_deck(Deck const& deck, DeckTable const& table);

/// One difference between two resolved decks.
struct DeckDifference {
  std::string path;    ///< "run.end_time", "bodies.list[0].mass"
  std::string before;  ///< JSON, or "not there"
  std::string after;
};
std::vector<DeckDifference> deck_differences(std::string const& before, std::string const& after);

/// Whether the value at this path may change when a run is resumed.
bool may_change(std::string const& path, DeckTable const& table);

/// Reference text for a part of the deck: name, type and range, default, unit and meaning of each
/// key. `words` is the path to the part, beginning with a section: keys ("gravity", "softening") or
/// choices of a form ("bodies", "plummer"). Throws a usage error for an unknown word.
std::string deck_reference(DeckTable const& table, std::vector<std::string> const& words);

/// The table as a JSON Schema (2020-12).
std::string json_schema(DeckTable const& table);

}  // namespace apsis::deck
