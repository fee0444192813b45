// SPDX-License-Identifier: Apache-2.0
#include "deck_alias.hpp"

#include <apsis/core/text.hpp>

#include <algorithm>

namespace apsis::io {

namespace {

bool found_in(std::vector<std::string> const& names, std::string const& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The place of an object in the table: without indices, and a part's bodies are bodies.
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

Parameter const* key_of(std::vector<Parameter> const& keys, std::string const& name) {
  for (auto const& key : keys) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

Parameter const* key_of(Parameter const& object, std::string const& name) {
  for (auto const& form : object.forms) {
    if (auto const* found = key_of(form.parameters, name)) return found;
  }
  return key_of(object.fields, name);
}

/// The key at a place of the table, or null for what chooses a form and is no key by itself.
Parameter const* key_at(DeckTable const& table, std::string const& place) {
  auto const parent = parent_of(place);
  if (parent.empty()) {
    auto const* const section = key_of(table.sections, place);
    return section != nullptr ? section : key_of(table.top, place);
  }
  auto const* const object = key_at(table, parent);
  return object != nullptr ? key_of(*object, last_of(place)) : nullptr;
}

bool takes(Kind kind, Json const& value) {
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

/// The value that was given if the key takes it, or where one goes.
std::string value_text(Parameter const* key, Json const& given) {
  if (key == nullptr) return given.is_string() ? json_text(given) : "...";
  if (takes(key->kind, given) || (key->measure && given.is_string())) return json_text(given);
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

/// `"time_step": 0.01` within the sections that lead to it.
std::string deck_text(std::string const& place, std::string const& value) {
  auto const parent = parent_of(place);
  std::string const text = "\"" + last_of(place) + "\": " + value;
  return parent.empty() ? text : deck_text(parent, "{" + text + "}");
}

}  // namespace

MeantKey meant_key(DeckTable const& table, std::string const& path, std::string const& key,
                   Json const& value, std::vector<std::string> const& known) {
  auto const here = place_of(path);
  DeckAlias const* best = nullptr;
  int best_score = 0;
  for (auto const& alias : table.aliases) {
    bool const of_an_object = alias.path.ends_with('.');  // what to do there instead
    bool const of_a_value = !alias.path.empty() && !alias.value.empty() && !of_an_object;
    if (of_a_value || plain_word(alias.word) != plain_word(key)) continue;
    bool const inside = !alias.path.empty() && parent_of(alias.path) == here;
    if (inside && !of_an_object && !found_in(known, last_of(alias.path))) continue;  // another form
    // What is in a list is meant nowhere else.
    bool const of_record =
        alias.path.rfind("bodies.list.", 0) == 0 || alias.path.rfind("output.render.", 0) == 0;
    if (!inside && (of_record || here == "bodies.list")) continue;
    // Nor does one letter, or a word as common as those of files and models or of what has kinds,
    // mean something far away.
    bool const common = alias.word.size() == 1 || alias.path.rfind("bodies.", 0) == 0 ||
                        found_in({"name", "type", "kind", "method"}, alias.word);
    if (!inside && !here.empty() && common) continue;
    int const score = (inside ? 2 : 0) + (alias.word == key ? 1 : 0) + 1;
    if (score > best_score) best = &alias;
    best_score = std::max(best_score, score);
  }
  if (best == nullptr) return {};
  if (!best->value.empty()) return {best->value, ""};
  auto const text = value_text(key_at(table, best->path), value);
  bool const inside = parent_of(best->path) == here;
  if (!inside) return {"write " + deck_text(best->path, text), best->path};
  auto const* const meant = key_at(table, best->path);
  bool const degrees = meant != nullptr && meant->doc.find("[degrees]") != std::string::npos;
  return {"write " + deck_text(last_of(best->path), text) +
              (degrees ? ", in degrees (57.2958 times as much if that is in radians)" : ""),
          join(path, last_of(best->path))};
}

std::string advice_for_value(DeckTable const& table, std::string const& path,
                             std::string const& value, std::vector<std::string> const& choices) {
  auto const here = place_of(path);
  for (auto const& choice : choices) {
    if (plain_word(choice) == plain_word(value)) return "did you mean '" + choice + "'?";
  }
  for (auto const& alias : table.aliases) {
    if (alias.path != here || alias.value.empty() || plain_word(alias.word) != plain_word(value))
      continue;
    if (found_in(choices, alias.value)) return "did you mean '" + alias.value + "'?";
    return "write " + alias.value;
  }
  return "";
}

std::string records_for(Parameter const& parameter, Json const& given) {
  std::string text;
  bool used = false;
  for (auto const& field : parameter.fields) {
    if (!field.required) continue;
    bool const fits = !used && takes(field.kind, given);
    used = used || fits;
    text += (text.empty() ? "" : ", ") + ("\"" + field.name + "\": ") +
            (fits ? json_text(given) : value_text(&field, {}));
  }
  return "[{" + text + (text.empty() ? "" : ", ") + "...}, ...]";
}

std::string object_for(DeckTable const& table, std::string const& path, Json const& given,
                       Parameter const& object) {
  auto const here = place_of(path);
  std::vector<std::string> choices;
  std::string selector;
  for (auto const& form : object.forms) {
    if (form.choice.empty()) continue;
    selector = form.selector;
    choices.push_back(form.choice);
  }
  if (given.is_string() && !choices.empty()) {
    auto const word = given.get<std::string>();
    auto meant = found_in(choices, word) ? word : "";
    for (auto const& choice : choices) {
      if (plain_word(choice) == plain_word(word)) meant = choice;
    }
    for (auto const& alias : table.aliases) {
      bool const is =
          alias.path == here + "." + selector && plain_word(alias.word) == plain_word(word);
      if (!is || alias.value.empty() || !meant.empty()) continue;
      if (!found_in(choices, alias.value)) return alias.value;
      meant = alias.value;
    }
    if (meant.empty()) meant = nearest(word, choices);
    if (!meant.empty())
      return "\"" + last_of(here) + "\": {\"" + selector + "\": \"" + meant + "\"}";
  }
  if (given.is_array() && !given.empty() && given[0].is_object()) {
    // The list whose records have most of the first one's keys.
    std::string best;
    int most = 0;
    for (auto const& form : object.forms) {
      for (auto const& key : form.parameters) {
        int known = 0;
        for (auto const& [name, value] : given[0].items()) {
          known += key_of(key.fields, name) != nullptr ? 1 : 0;
        }
        if (key.kind != Kind::records || known <= most) continue;
        most = known;
        best = (form.choice.empty() ? "" : "\"" + form.selector + "\": \"" + form.choice + "\", ") +
               ("\"" + key.name + "\": [...]");
      }
    }
    if (most > 0) return "\"" + last_of(here) + "\": {" + best + "}";
  }
  for (auto const& form : object.forms) {
    auto const* const key = key_of(form.parameters, form.selector);
    if (key == nullptr || !form.choice.empty()) continue;
    bool const list = given.is_array() && key->kind == Kind::records;
    if (!list && !takes(key->kind, given)) continue;
    auto const text = list ? "[...]" : json_text(given);
    return "\"" + last_of(here) + "\": {\"" + form.selector + "\": " + text + "}";
  }
  // A list of names, or true, for objects that are there by being named.
  if (given.is_array() && object.forms.size() == 1 && object.forms.front().choice.empty()) {
    std::string text;
    for (auto const& name : given) {
      if (!name.is_string() || key_of(object, name.get<std::string>()) == nullptr) continue;
      text += (text.empty() ? "" : ", ") + name.dump() + ": {}";
    }
    if (!text.empty()) return "\"" + last_of(here) + "\": {" + text + "}";
  }
  return "an object";
}

}  // namespace apsis::io
