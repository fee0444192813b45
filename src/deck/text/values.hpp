// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "json_text.hpp"
#include <apsis/deck/deck.hpp>

#include <optional>

namespace apsis::deck {

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

/// Search for the proper place of misplaced keys.
namespace apsis::deck {

/// Description of the first place in the table that has this key; empty if there is none.
std::string home_of(DeckTable const& table, std::string const& key);

/// Description of the selector values for which the object has this key; empty if there are none.
std::string other_form(Parameter const& object, std::string const& key);

/// The keys of all forms selected by the presence of a key; none if a value selects the form.
std::vector<std::string> keys_by_presence(Parameter const& object, Json const& json);

/// Among the forms selected by the presence of a key, the one that `json` probably intends: it has
/// a key of `json`, or a selector similar to one. Null if there is none.
Form const* guess_form(Parameter const& object, Json const& json);

/// The selector and choice of the only form that has all keys of `json`: `"generator":
/// "composite"`. Empty if there is no such form or more than one.
std::string guess_choice(Parameter const& object, Json const& json);

/// Errors of one deck. All are counted, and reported up to a maximum number.
class DeckFaults {
 public:
  DeckFaults(std::string source, std::vector<Problem>& problems)
      : source_(std::move(source)), problems_(problems) {}

  void add(std::string const& path, std::string what, std::string why, std::string advice);
  /// If the maximum number was reported, counts an error and returns true; otherwise returns false.
  bool skip();
  std::size_t count() const { return count_; }

 private:
  std::string source_;
  std::vector<Problem>& problems_;
  std::size_t count_ = 0;
};

/// Short description of a JSON value for messages.
std::string describe(Json const& json);

class DeckValues {
 public:
  DeckValues(DeckTable const& table, DeckFaults& faults) : table_(table), faults_(faults) {}

  /// Reads a value. If the parameter does not allow it, reports an error and returns nothing.
  std::optional<Value> read(std::string const& path, Json const& json, Parameter const& parameter);

  /// Reports that a value is not one of `choices`.
  void not_among(std::string const& path, Json const& json,
                 std::vector<std::string> const& choices);

 private:
  std::optional<Value> read_text(std::string const& path, std::string text);
  std::optional<Value> read_quantity(std::string const& path, Json const& json,
                                     Parameter const& parameter);
  std::optional<Value> read_integer(std::string const& path, Json const& json,
                                    Parameter const& parameter);
  std::optional<Value> read_numbers(std::string const& path, Json const& array,
                                    Parameter const& parameter);
  std::optional<Value> in_range(std::string const& path, Json const& json, double value,
                                Parameter const& parameter);

  DeckTable const& table_;
  DeckFaults& faults_;
};

}  // namespace apsis::deck
