// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace apsis {

/// Table of entries that users select by name. The schema, the help and error messages are
/// generated from it. `name` is the member of an entry that holds its name.
template <class Entry, auto name = &Entry::name>
class Registry {
 public:
  /// `kind` is the kind of entry for error messages, such as "model".
  Registry(std::string kind, std::vector<Entry> entries)
      : kind_(std::move(kind)), entries_(std::move(entries)) {}

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  std::size_t size() const { return entries_.size(); }
  /// The first entry, which is the default of registries that have one.
  Entry const& front() const { return entries_.front(); }

  /// The entry with this name, or null.
  Entry const* find(std::string_view requested) const {
    for (auto const& entry : entries_) {
      if (std::invoke(name, entry) == requested) return &entry;
    }
    return nullptr;
  }
  /// The entry with this name, which must exist. Throws an internal error otherwise.
  Entry const& get(std::string_view requested) const {
    if (auto const* entry = find(requested)) return *entry;
    throw Error(ExitStatus::internal, Problem{kind_, "there is no '" + std::string(requested) + "'",
                                              "", "please report this as a bug"});
  }
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (auto const& entry : entries_) result.push_back(std::invoke(name, entry));
    return result;
  }

 private:
  std::string kind_;
  std::vector<Entry> entries_;
};

/// Entries that a program adds to a table before the table is made. One object per table, which
/// outlives it.
template <class Entry>
class AddedEntries {
 public:
  /// Throws an internal error once the table is made, which the first use of its registry does.
  void add(Entry entry) {
    if (is_closed_) {
      throw Error(ExitStatus::internal,
                  Problem{entry.name, "is added too late", "its table has been used already",
                          "add entries before a deck is read"});
    }
    entries_.push_back(std::move(entry));
  }
  /// Returns `entries` and the added ones after them, and ends the additions.
  std::vector<Entry> after(std::vector<Entry> entries) {
    is_closed_ = true;
    for (auto& entry : entries_) entries.push_back(std::move(entry));
    return entries;
  }

 private:
  std::vector<Entry> entries_;
  bool is_closed_ = false;
};

}  // namespace apsis
