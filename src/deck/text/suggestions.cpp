// SPDX-License-Identifier: Apache-2.0
#include "values.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>

namespace apsis::deck {

namespace {

bool contains(std::vector<std::string> const& names, std::string const& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Path of an object in the table: without indices, and with `bodies` for the bodies of a part.
std::string place_of(std::string const& path) {
  std::string place;
  bool inside = false;
  for (char const c : path) {
    inside = inside || c == '[';
    if (!inside) place += c;
    if (c == ']') inside = false;
  }
  std::string const part = "bodies.parts.bodies";
  while (place.rfind(part, 0) == 0) place.replace(0, part.size(), "bodies");
  return place;
}

std::string parent_of(std::string const& path) {
  auto const dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(0, dot);
}

std::string last_of(std::string const& path) {
  return path.substr(path.rfind('.') + 1);
}

Parameter const* key_in(Parameter const& object, std::string const& name) {
  for (auto const& form : object.forms) {
    if (auto const* key = key_of(form.parameters, name)) return key;
  }
  return key_of(object.fields, name);
}

/// The key at a path of the table; null for a selector, which is not a key of the table.
Parameter const* key_at(DeckTable const& table, std::string const& place) {
  auto const parent = parent_of(place);
  if (parent.empty()) {
    auto const* const section = key_of(table.sections, place);
    return section != nullptr ? section : key_of(table.top, place);
  }
  auto const* const object = key_at(table, parent);
  return object != nullptr ? key_in(*object, last_of(place)) : nullptr;
}

bool accepts(Kind kind, Json const& value) {
  switch (kind) {
    case Kind::text:
    case Kind::choice:
      return value.is_string();
    case Kind::boolean:
      return value.is_boolean();
    case Kind::number:
    case Kind::integer:
      return value.is_number();
    default:
      return false;
  }
}

std::string json_text(Json const& value) {
  return shortened(value.dump(-1, ' ', false, Json::error_handler_t::replace), 40);
}

/// The given value if the key accepts it, otherwise a placeholder.
std::string value_text(Parameter const* key, Json const& value) {
  if (key == nullptr) return value.is_string() ? json_text(value) : "...";
  if (accepts(key->kind, value) || (key->quantity_dimension && value.is_string()))
    return json_text(value);
  switch (key->kind) {
    case Kind::vector3:
      return "[x, y, z]";
    case Kind::numbers:
    case Kind::records:
      return "[...]";
    case Kind::object:
      return "{...}";
    default:
      return "...";
  }
}

/// A key and its value as JSON within the enclosing sections: `"integrator": {"time_step": 0.01}`.
std::string deck_text(std::string const& place, std::string const& value) {
  auto const parent = parent_of(place);
  std::string const text = "\"" + last_of(place) + "\": " + value;
  return parent.empty() ? text : deck_text(parent, "{" + text + "}");
}

bool has(Form const& form, std::string const& key) {
  return key_of(form.parameters, key) != nullptr;
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

KeySuggestion suggest_key(DeckTable const& table, std::string const& path, std::string const& key,
                          Json const& value, std::vector<std::string> const& known) {
  auto const object = place_of(path);
  DeckAlias const* best = nullptr;
  int best_score = 0;
  for (auto const& alias : table.aliases) {
    bool const is_advice = alias.path.ends_with('.');  // on what to do in this object instead
    bool const is_value = !alias.path.empty() && !alias.value.empty() && !is_advice;
    if (is_value || normalized_word(alias.word) != normalized_word(key)) continue;
    bool const inside = !alias.path.empty() && parent_of(alias.path) == object;
    if (inside && !is_advice && !contains(known, last_of(alias.path))) continue;  // another form
    // Keys of list records are suggested only inside such a record.
    bool const is_record_key =
        alias.path.rfind("bodies.list.", 0) == 0 || alias.path.rfind("output.render.", 0) == 0;
    if (!inside && (is_record_key || object == "bodies.list")) continue;
    // Common words (single letters, words for files, models or kinds) are suggested only in their
    // own object, or at the top of the deck.
    bool const common = alias.word.size() == 1 || alias.path.rfind("bodies.", 0) == 0 ||
                        contains({"name", "type", "kind", "method"}, alias.word);
    if (!inside && !object.empty() && common) continue;
    int const score = (inside ? 2 : 0) + (alias.word == key ? 1 : 0) + 1;
    if (score > best_score) best = &alias;
    best_score = std::max(best_score, score);
  }
  if (best == nullptr) return {};
  if (!best->value.empty()) return {best->value, ""};
  auto const text = value_text(key_at(table, best->path), value);
  bool const inside = parent_of(best->path) == object;
  if (!inside) return {"write " + deck_text(best->path, text), best->path};
  auto const* const suggested = key_at(table, best->path);
  bool const degrees =
      suggested != nullptr && suggested->doc.find("[degrees]") != std::string::npos;
  return {"write " + deck_text(last_of(best->path), text) +
              (degrees ? ", in degrees (57.2958 times as much if that is in radians)" : ""),
          join(path, last_of(best->path))};
}

std::string advice_for_value(DeckTable const& table, std::string const& path,
                             std::string const& value, std::vector<std::string> const& choices) {
  auto const place = place_of(path);
  for (auto const& choice : choices) {
    if (normalized_word(choice) == normalized_word(value)) return "did you mean '" + choice + "'?";
  }
  for (auto const& alias : table.aliases) {
    if (alias.path != place || alias.value.empty() ||
        normalized_word(alias.word) != normalized_word(value))
      continue;
    if (contains(choices, alias.value)) return "did you mean '" + alias.value + "'?";
    return "write " + alias.value;
  }
  return "";
}

std::string records_for(Parameter const& parameter, Json const& value) {
  std::string text;
  bool used = false;
  for (auto const& field : parameter.fields) {
    if (!field.required) continue;
    bool const fits = !used && accepts(field.kind, value);
    used = used || fits;
    text += (text.empty() ? "" : ", ") + ("\"" + field.name + "\": ") +
            (fits ? json_text(value) : value_text(&field, {}));
  }
  return "[{" + text + (text.empty() ? "" : ", ") + "...}, ...]";
}

std::string object_for(DeckTable const& table, std::string const& path, Json const& value,
                       Parameter const& object) {
  auto const place = place_of(path);
  std::vector<std::string> choices;
  std::string selector;
  for (auto const& form : object.forms) {
    if (form.choice.empty()) continue;
    selector = form.selector;
    choices.push_back(form.choice);
  }
  if (value.is_string() && !choices.empty()) {
    auto const word = value.get<std::string>();
    auto suggested = contains(choices, word) ? word : "";
    for (auto const& choice : choices) {
      if (normalized_word(choice) == normalized_word(word)) suggested = choice;
    }
    for (auto const& alias : table.aliases) {
      bool const matches = alias.path == place + "." + selector &&
                           normalized_word(alias.word) == normalized_word(word);
      if (!matches || alias.value.empty() || !suggested.empty()) continue;
      if (!contains(choices, alias.value)) return alias.value;
      suggested = alias.value;
    }
    if (suggested.empty()) suggested = nearest(word, choices);
    if (!suggested.empty())
      return "\"" + last_of(place) + "\": {\"" + selector + "\": \"" + suggested + "\"}";
  }
  if (value.is_array() && !value.empty() && value[0].is_object()) {
    // The list of records that has most keys of the first record in common.
    std::string best;
    int most = 0;
    for (auto const& form : object.forms) {
      for (auto const& key : form.parameters) {
        int known = 0;
        for (auto const& [name, unused] : value[0].items()) {
          known += key_of(key.fields, name) != nullptr ? 1 : 0;
        }
        if (key.kind != Kind::records || known <= most) continue;
        most = known;
        best = (form.choice.empty() ? "" : "\"" + form.selector + "\": \"" + form.choice + "\", ") +
               ("\"" + key.name + "\": [...]");
      }
    }
    if (most > 0) return "\"" + last_of(place) + "\": {" + best + "}";
  }
  for (auto const& form : object.forms) {
    auto const* const key = key_of(form.parameters, form.selector);
    if (key == nullptr || !form.choice.empty()) continue;
    bool const list = value.is_array() && key->kind == Kind::records;
    if (!list && !accepts(key->kind, value)) continue;
    auto const text = list ? "[...]" : json_text(value);
    return "\"" + last_of(place) + "\": {\"" + form.selector + "\": " + text + "}";
  }
  // A list of names instead of an object with one empty object for each name.
  if (value.is_array() && object.forms.size() == 1 && object.forms.front().choice.empty()) {
    std::string text;
    for (auto const& name : value) {
      if (!name.is_string() || key_in(object, name.get<std::string>()) == nullptr) continue;
      text += (text.empty() ? "" : ", ") + name.dump() + ": {}";
    }
    if (!text.empty()) return "\"" + last_of(place) + "\": {" + text + "}";
  }
  return "an object";
}

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
