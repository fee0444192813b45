// SPDX-License-Identifier: Apache-2.0
#include "key_places.hpp"

#include <apsis/core/text.hpp>

#include <algorithm>

namespace apsis::deck {

namespace {

bool has(Form const& form, std::string const& key) {
  return std::any_of(form.parameters.begin(), form.parameters.end(),
                     [&](Parameter const& parameter) { return parameter.name == key; });
}

std::string home_in(Parameter const& object, std::string const& name, std::string const& key) {
  auto const count = std::count_if(object.forms.begin(), object.forms.end(),
                                   [&](Form const& form) { return has(form, key); });
  constexpr int too_many_to_list = 3;
  if (count >= too_many_to_list) return "it belongs to " + name;
  for (auto const& form : object.forms) {
    if (form.selector == key && !form.choice.empty()) return "it belongs to " + name;
    std::string condition;
    if (!form.choice.empty()) {
      condition = " with " + form.selector + " '" + form.choice + "'";
    } else if (!form.selector.empty() && form.selector != key) {
      condition = " beside '" + form.selector + "'";
    }
    for (auto const& parameter : form.parameters) {
      if (parameter.name == key) return "it belongs to " + name + condition;
      auto const inner = home_in(parameter, "'" + parameter.name + "' of " + name + condition, key);
      if (!inner.empty()) return inner;
    }
  }
  return {};
}

}  // namespace

std::string home_of(DeckTable const& table, std::string const& key) {
  for (auto const& section : table.sections) {
    if (section.name == key) return "'" + key + "' is a section of the deck itself";
    auto const home = home_in(section, "'" + section.name + "'", key);
    if (!home.empty()) return home;
  }
  return {};
}

std::string other_form(Parameter const& object, std::string const& key) {
  std::string words;
  for (auto const& form : object.forms) {
    if (form.choice.empty() || !has(form, key)) continue;
    words += (words.empty() ? "it belongs to '" + object.name + "' with " + form.selector + " '"
                            : " or '") +
             form.choice + "'";
  }
  return words;
}

std::vector<std::string> keys_by_presence(Parameter const& object, Json const& json) {
  std::vector<std::string> keys;
  for (auto const& form : object.forms) {
    if (!form.choice.empty() && json.contains(form.selector)) return {};
    if (!form.choice.empty()) continue;
    for (auto const& parameter : form.parameters) keys.push_back(parameter.name);
  }
  return keys;
}

Form const* guess_form(Parameter const& object, Json const& json) {
  for (auto const& form : object.forms) {
    if (!form.choice.empty()) continue;
    for (auto const& [key, value] : json.items()) {
      if (has(form, key) || !nearest(key, {form.selector}).empty()) return &form;
    }
  }
  return nullptr;
}

std::string guess_choice(Parameter const& object, Json const& json) {
  std::string choice;
  if (json.empty()) return choice;
  for (auto const& form : object.forms) {
    bool has_all_keys = !form.choice.empty();
    for (auto const& [key, value] : json.items()) has_all_keys = has_all_keys && has(form, key);
    if (!has_all_keys) continue;
    if (!choice.empty()) return {};
    choice = "\"" + form.selector + "\": \"" + form.choice + "\"";
  }
  return choice;
}

}  // namespace apsis::deck
