// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "json_text.hpp"
#include <apsis/io/deck.hpp>

#include <optional>
#include <string>
#include <vector>

namespace apsis::io {

/// Everything that is wrong with one deck: told up to a number, and counted beyond it.
class DeckFaults {
 public:
  DeckFaults(std::string source, std::vector<Problem>& problems)
      : source_(std::move(source)), problems_(problems) {}

  void add(std::string const& path, std::string what, std::string why, std::string advice);
  /// Counts one without a look at it if enough were told; false if not.
  bool passed_over();
  std::size_t count() const { return count_; }

 private:
  std::string source_;
  std::vector<Problem>& problems_;
  std::size_t count_ = 0;
};

/// A value as a reader of the deck would call it.
std::string describe(Json const& json);

/// Reads what is neither an object nor a list of records.
class DeckValues {
 public:
  DeckValues(DeckTable const& table, DeckFaults& faults) : table_(table), faults_(faults) {}

  /// Nothing, and told why, if it is not such as the parameter may be.
  std::optional<Value> read(std::string const& path, Json const& json, Parameter const& parameter);

  /// Tells that a value is none of those that there are.
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

}  // namespace apsis::io
