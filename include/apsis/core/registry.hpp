// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace apsis {

/// A table of what a user may choose by name: the schema, the help and the errors are made from it.
/// `name` is the entry's member with its name.
template <class Entry, auto name = &Entry::name>
class Registry {
 public:
  /// `kind` is what an entry is, in a word: "model".
  Registry(std::string kind, std::vector<Entry> entries)
      : kind_(std::move(kind)), entries_(std::move(entries)) {}

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  std::size_t size() const { return entries_.size(); }
  /// The default, where there is one.
  Entry const& front() const { return entries_.front(); }

  /// The entry of that name, or null.
  Entry const* find(std::string_view wanted) const {
    for (auto const& entry : entries_) {
      if (std::invoke(name, entry) == wanted) return &entry;
    }
    return nullptr;
  }
  /// The entry of a name that was checked before. Throws an internal error for any other.
  Entry const& at(std::string_view wanted) const {
    if (auto const* entry = find(wanted)) return *entry;
    throw Error(ExitStatus::internal, Problem{kind_, "there is no '" + std::string(wanted) + "'",
                                              "", "please report this as a bug"});
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (auto const& entry : entries_) all.push_back(std::invoke(name, entry));
    return all;
  }

 private:
  std::string kind_;
  std::vector<Entry> entries_;
};

}  // namespace apsis
