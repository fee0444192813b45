// SPDX-License-Identifier: Apache-2.0
#include "core/program.hpp"
#include "json_text.hpp"
#include <apsis/core/text.hpp>

#include <span>

namespace apsis::deck {

namespace {

/// For an object with more forms than this, the reference lists the forms without their keys.
constexpr std::size_t max_forms_in_full = 4;
constexpr std::size_t line_width = 100;

/// Doc of a parameter, split into its text and the unit in brackets.
struct Doc {
  std::string words, unit;
};

Doc doc_of(std::string const& doc) {
  auto const open = doc.find('[');
  auto const close = doc.find(']', open);
  if (open == std::string::npos || close == std::string::npos) return {doc, ""};
  std::string words = doc.substr(0, open);
  while (!words.empty() && words.back() == ' ') words.pop_back();
  return {words + doc.substr(close + 1), doc.substr(open, close - open + 1)};
}

/// Reference entry of one key: allowed values and meaning, in two paragraphs.
struct Entry {
  std::string name, values, meaning;
};

std::string text_of(std::vector<Entry> const& entries) {
  std::size_t longest = 0;
  for (auto const& entry : entries) longest = std::max(longest, entry.name.size());
  std::string text;
  for (auto const& entry : entries) {
    std::size_t const indent = 2 + longest + 2;
    auto const lines =
        wrapped(entry.values, line_width, indent) + wrapped(entry.meaning, line_width, indent);
    std::string const name = "  " + entry.name;
    text += lines.empty() ? name + "\n" : name + lines.substr(name.size());
  }
  return text;
}

std::vector<std::string> choices_of(std::vector<Form> const& forms) {
  std::vector<std::string> choices;
  for (auto const& form : forms) {
    choices.push_back(form.choice.empty() ? form.selector : form.choice);
  }
  return choices;
}

/// "required unless velocity is given" for alternative required keys; empty for other keys.
std::string rule_of_alternatives(std::string const& name, Form const& form) {
  std::vector<std::string> others = form.one_of;
  if (std::erase(others, name) == 0) return {};
  std::string words;
  for (auto const& other : others) words += (words.empty() ? "" : " or ") + other;
  return "required unless " + words + " is given";
}

/// `form`: that of the object with this key.
Entry entry_of(Parameter const& parameter, std::string const& name, Form const& form) {
  auto const doc = doc_of(parameter.doc);
  std::string values = allowed(parameter);
  if (parameter.required) values += ", required";
  if (!std::holds_alternative<std::monostate>(parameter.fallback)) {
    values += ", default " + json_of(parameter.fallback, parameter).dump();
  }
  for (auto const& rule :
       {rule_of_alternatives(parameter.name, form), rule_in_physical_units(parameter)}) {
    if (!rule.empty()) values += ", " + rule;
  }
  if (!doc.unit.empty()) values += " " + doc.unit;
  return {name, values, doc.words};
}

void add_form(std::vector<Entry>& entries, Form const& form, std::string const& prefix);

void add_key(std::vector<Entry>& entries, Parameter const& parameter, std::string const& name,
             Form const& form) {
  entries.push_back(entry_of(parameter, name, form));
  for (auto const& field : parameter.fields) {
    add_key(entries, field, name + "[]." + field.name, {"", "", "", parameter.fields});
  }
  if (parameter.kind != Kind::object) return;
  auto& values = entries.back().values;
  if (parameter.forms.size() > max_forms_in_full) {
    values += "; " + parameter.forms.front().selector + " is one of " +
              quoted_list(choices_of(parameter.forms));
    return;
  }
  for (auto const& inner : parameter.forms) add_form(entries, inner, name + ".");
}

/// Adds the selector, if there is one, and the keys of a form.
void add_form(std::vector<Entry>& entries, Form const& form, std::string const& prefix) {
  if (!form.choice.empty()) {
    entries.push_back({prefix + form.selector,
                       "'" + form.choice + "'" + (form.is_default ? ", the default" : ""),
                       form.doc});
  }
  for (auto const& parameter : form.parameters)
    add_key(entries, parameter, prefix + parameter.name, form);
}

std::vector<Parameter> shared_keys(std::vector<Form> const& forms) {
  std::vector<Parameter> keys;
  for (auto const& parameter : forms.front().parameters) {
    bool const is_shared = std::all_of(forms.begin(), forms.end(), [&](Form const& form) {
      return key_of(form.parameters, parameter.name) != nullptr;
    });
    if (is_shared) keys.push_back(parameter);
  }
  return keys;
}

std::string sentence(std::string const& head, std::string const& doc) {
  return wrapped(head + (doc.empty() ? "" : ": " + doc), line_width, 0);
}

/// Reference of an object with many forms: the shared keys, and one line for each form.
std::string summary_of(Parameter const& object, std::string const& place) {
  std::vector<Entry> keys, forms, others;
  for (auto const& parameter : shared_keys(object.forms)) {
    keys.push_back(entry_of(parameter, parameter.name, object.forms.front()));
  }
  for (auto const& form : object.forms) {
    bool const chosen = !form.choice.empty();
    (chosen ? forms : others).push_back({chosen ? form.choice : form.selector, form.doc, ""});
  }
  std::string text = text_of(keys);
  text += (text.empty() ? "" : "\n") + object.forms.front().selector + " is one of\n";
  text += text_of(forms);
  if (!others.empty()) text += "or, instead of it, one of\n" + text_of(others);
  return text + "\n" + program_command("help deck " + place + " " + forms.front().name) +
         " lists all keys of one of them.\n";
}

/// `form`: of the object that has the parameter.
std::string reference_of(Parameter const& parameter, std::string const& place, Form const& form) {
  if (parameter.forms.empty()) {
    std::vector<Entry> entries;
    add_key(entries, parameter, parameter.name, form);
    return text_of(entries);
  }
  auto const head = sentence(place + (parameter.required ? " (required)" : ""), parameter.doc);
  auto const& first = parameter.forms.front();
  if (parameter.forms.size() == 1 && !first.selector.empty()) {
    std::vector<Entry> entries;
    if (!first.choice.empty()) entries.push_back({first.selector, "\"" + first.choice + "\"", ""});
    for (auto const& key : first.parameters) add_key(entries, key, key.name, first);
    return head + "\n" + text_of(entries);
  }
  if (parameter.forms.size() > max_forms_in_full) {
    return head + "\n" + summary_of(parameter, place);
  }
  // Keys that all forms have are listed once.
  auto const shared = shared_keys(parameter.forms);
  std::vector<Entry> entries;
  for (auto each : parameter.forms) {
    std::erase_if(each.parameters,
                  [&](Parameter const& key) { return key_of(shared, key.name) != nullptr; });
    if (parameter.forms.size() > 1) add_form(entries, each, "");
  }
  for (auto const& key : shared) add_key(entries, key, key.name, first);
  bool const either = parameter.forms.size() > 1 && first.choice.empty();
  auto const line = either ? "one of " + quoted_list(choices_of(parameter.forms)) + ", and\n" : "";
  return head + "\n" + line + text_of(entries);
}

std::vector<std::string> words_from(Parameter const& parameter) {
  std::vector<std::string> known;
  for (auto const& field : parameter.fields) known.push_back(field.name);
  for (auto const& form : parameter.forms) {
    if (!form.choice.empty()) known.push_back(form.choice);
    for (auto const& key : form.parameters) known.push_back(key.name);
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  return known;
}

/// The part of an object that a word selects: one of its forms, or a key. Nothing if there is none.
std::optional<Parameter> inner(Parameter const& object, std::string const& word) {
  for (auto const& form : object.forms) {
    auto const& chosen_by = form.choice.empty() ? form.selector : form.choice;
    if (word.empty() || chosen_by != word) continue;
    auto one = object;
    one.forms = {form};
    one.doc = form.doc;
    one.required = false;
    return one;
  }
  // If several forms have the key, the one with most inner keys.
  std::optional<Parameter> fullest;
  for (auto const& form : object.forms) {
    for (auto const& key : form.parameters) {
      bool const fuller = !fullest || words_from(key).size() > words_from(*fullest).size();
      if (key.name == word && fuller) fullest = key;
    }
  }
  if (fullest) return fullest;
  if (auto const* const field = key_of(object.fields, word)) return *field;
  // "bodies list mass": the selector of the form is a list with fields.
  for (auto const& form : object.forms) {
    if (!form.choice.empty()) continue;
    auto const* const list = key_of(form.parameters, form.selector);
    auto const* const field = list != nullptr ? key_of(list->fields, word) : nullptr;
    if (field != nullptr) return *field;
  }
  return std::nullopt;
}

using Words = std::vector<std::string>;

/// Collects the defaults of the key at the path `words` within `parameter`, each with the choices
/// of the outermost forms that have it, such as the names of integrators.
void collect_defaults(Parameter const& parameter, std::span<std::string const> words,
                      std::string const& choice, std::map<std::string, Words>& defaults) {
  if (words.empty()) {
    if (std::holds_alternative<std::monostate>(parameter.fallback) || choice.empty()) return;
    auto& choices = defaults[json_of(parameter.fallback, parameter).dump()];
    if (choices.empty() || choices.back() != choice) choices.push_back(choice);
    return;
  }
  auto const rest = words.subspan(1);
  for (auto const& form : parameter.forms) {
    if ((form.choice.empty() ? form.selector : form.choice) == words.front()) {
      auto one = parameter;
      one.forms = {form};
      collect_defaults(one, rest, choice, defaults);
    }
    for (auto const& key : form.parameters) {
      if (key.name != words.front()) continue;
      collect_defaults(key, rest, choice.empty() ? form.choice : choice, defaults);
    }
  }
  for (auto const& field : parameter.fields) {
    if (field.name == words.front()) collect_defaults(field, rest, choice, defaults);
  }
}

/// Lists the defaults of a key that depend on a choice; empty if there is a single default.
std::string defaults_text(Parameter const& deck, Words const& words) {
  std::map<std::string, Words> defaults;
  collect_defaults(deck, words, "", defaults);
  if (defaults.size() < 2) return "";
  std::vector<Entry> entries;
  for (auto const& [value, choices] : defaults)
    entries.push_back({value, quoted_list(choices), ""});
  return "\nthe default depends on the " + words.front() + "\n\n" + text_of(entries);
}

/// The first section that has this word, with the word, as arguments of the help: "gravity
/// softening". Empty if there is none.
std::string place_of(DeckTable const& table, std::string const& word) {
  for (auto const& section : table.sections) {
    if (inner(section, word)) return section.name + " " + word;
  }
  return {};
}

}  // namespace

DeckPart find_part(DeckTable const& table, std::vector<std::string> const& words) {
  auto keys = table.top;
  keys.insert(keys.end(), table.sections.begin(), table.sections.end());
  auto const deck = object("deck", keys, "definition of a run in JSON; each section is an object");
  DeckPart result{deck, deck, "", {}};
  auto& [whole, part, place, form] = result;
  for (auto const& word : words) {
    auto const next = inner(part, word);
    if (!next) {
      auto const known = words_from(part);
      auto const close = nearest(word, known);
      auto const deeper = place.empty() ? place_of(table, word) : "";
      std::string const where = place.empty() ? "a deck" : "'" + place + "'";
      throw Error(ExitStatus::usage,
                  Problem{word, "is not in " + where,
                          known.empty() ? "it has no keys" : "it has " + quoted_list(known),
                          !deeper.empty() ? "see " + program_command("help deck " + deeper)
                          : close.empty() ? "see " + program_command("help deck")
                                          : "did you mean '" + close + "'?"});
    }
    auto const inner_part = Parameter(*next);
    form = {};
    for (auto const& each : part.forms) {
      if (key_of(each.parameters, word) != nullptr) form = each;
    }
    part = inner_part;
    place += (place.empty() ? "" : " ") + word;
  }
  return result;
}

std::string deck_reference(DeckTable const& table, std::vector<std::string> const& words) {
  auto const [deck, part, place, form] = find_part(table, words);
  if (!words.empty()) return reference_of(part, place, form) + defaults_text(deck, words);
  std::vector<Entry> entries;
  for (auto const& key : deck.forms.front().parameters) {
    auto entry = entry_of(key, key.name, {});
    if (key.kind == Kind::object) entry.values = key.required ? "required" : "";
    entries.push_back(std::move(entry));
  }
  return sentence("a deck", part.doc) + "\n" + text_of(entries) + "\n" +
         program_command("help deck gravity") + " lists the keys of a section.\n";
}

}  // namespace apsis::deck
