// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "json_text.hpp"
#include <apsis/deck/deck.hpp>

#include <optional>
#include <string>
#include <vector>

namespace apsis::deck {

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

/// Reads values other than objects and lists of records.
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
