// SPDX-License-Identifier: Apache-2.0
#include "json_text.hpp"
#include <apsis/core/text.hpp>
#include <apsis/deck/deck.hpp>

namespace apsis::deck {

namespace {

std::string in_words(Json const& json) {
  return shortened(json.dump(-1, ' ', false, Json::error_handler_t::replace), 60);
}

/// Adds the differences between two values at `path`. A value that only one deck has is one
/// difference, but the keys of a section are listed separately.
void collect(Json const& before, Json const& after, std::string const& path,
             std::vector<DeckDifference>& differences) {
  if (before.is_object() && after.is_object()) {
    static Json const nothing = Json::object();
    auto const add_one_sided = [&](std::string const& key, Json const& value, bool is_old) {
      auto const key_path = join(path, key);
      if (path.empty() && value.is_object()) {
        collect(is_old ? value : nothing, is_old ? nothing : value, key_path, differences);
      } else if (is_old) {
        differences.push_back({key_path, in_words(value), "not there"});
      } else {
        differences.push_back({key_path, "not there", in_words(value)});
      }
    };
    for (auto const& [key, value] : before.items()) {
      if (after.contains(key)) {
        collect(value, after.at(key), join(path, key), differences);
      } else {
        add_one_sided(key, value, true);
      }
    }
    for (auto const& [key, value] : after.items()) {
      if (!before.contains(key)) add_one_sided(key, value, false);
    }
  } else if (before.is_array() && after.is_array() && before.size() == after.size()) {
    for (std::size_t i = 0; i < before.size(); ++i) {
      collect(before[i], after[i], path + "[" + std::to_string(i) + "]", differences);
    }
  } else if (!(before == after)) {  // invalid JSON is unequal to everything
    differences.push_back({path, in_words(before), in_words(after)});
  }
}

bool may_change(std::string_view rest, std::vector<Parameter> const& parameters) {
  auto const end = rest.find_first_of(".[");
  auto const name = rest.substr(0, end);
  for (auto const& parameter : parameters) {
    if (parameter.name != name) continue;
    if (parameter.may_change) return true;
    if (end == std::string_view::npos || rest[end] != '.') continue;
    for (auto const& form : parameter.forms) {
      if (may_change(rest.substr(end + 1), form.parameters)) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<DeckDifference> deck_differences(std::string const& before, std::string const& after) {
  std::vector<DeckDifference> differences;
  collect(Json::parse(before, nullptr, false), Json::parse(after, nullptr, false), "", differences);
  return differences;
}

bool may_change(std::string const& path, DeckTable const& table) {
  return may_change(path, table.top) || may_change(path, table.sections);
}

}  // namespace apsis::deck
