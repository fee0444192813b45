// SPDX-License-Identifier: Apache-2.0
#include "json_text.hpp"
#include <apsis/io/deck.hpp>

#include <map>

namespace apsis::io {

namespace {

using Leaves = std::map<std::string, std::string>;

/// Every value that is neither an object nor an array, by its path; also the empty ones of those.
void collect(Json const& json, std::string const& path, Leaves& leaves) {
  if (json.is_object() && !json.empty()) {
    for (auto const& [key, value] : json.items()) collect(value, join(path, key), leaves);
  } else if (json.is_array() && !json.empty()) {
    for (std::size_t i = 0; i < json.size(); ++i) {
      collect(json[i], path + "[" + std::to_string(i) + "]", leaves);
    }
  } else {
    leaves[path] = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

Leaves leaves_of(std::string const& deck) {
  Leaves leaves;
  collect(Json::parse(deck, nullptr, false), "", leaves);
  return leaves;
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
  auto const old = leaves_of(before), now = leaves_of(after);
  std::vector<DeckDifference> differences;
  for (auto const& [path, value] : old) {
    auto const found = now.find(path);
    if (found == now.end()) {
      differences.push_back({path, value, "not there"});
    } else if (found->second != value) {
      differences.push_back({path, value, found->second});
    }
  }
  for (auto const& [path, value] : now) {
    if (old.count(path) == 0) differences.push_back({path, "not there", value});
  }
  return differences;
}

bool may_change(std::string const& path, DeckTable const& table) {
  return may_change(path, table.top) || may_change(path, table.sections);
}

}  // namespace apsis::io
