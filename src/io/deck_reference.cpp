// SPDX-License-Identifier: Apache-2.0
#include "json_text.hpp"
#include <apsis/core/program.hpp>
#include <apsis/core/text.hpp>
#include <apsis/io/deck.hpp>

#include <algorithm>
#include <map>
#include <span>

namespace apsis::io {

namespace {

/// Objects with more forms than this are told form by form.
constexpr std::size_t most_forms_at_once = 4;
constexpr std::size_t line_width = 100;

/// A doc is words with a unit in brackets among them.
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

/// Words in lines that are not longer than a terminal is wide, each after `indent` spaces.
std::string wrapped(std::string const& words, std::size_t indent) {
  std::string text, line;
  auto const put = [&] {
    text += std::string(indent, ' ') + line + "\n";
    line.clear();
  };
  for (std::size_t begin = 0; begin < words.size();) {
    auto const end = std::min(words.find(' ', begin), words.size());
    auto const word = words.substr(begin, end - begin);
    if (!line.empty() && indent + line.size() + 1 + word.size() > line_width) put();
    line += (line.empty() ? "" : " ") + word;
    begin = end + 1;
  }
  if (!line.empty()) put();
  return text;
}

/// What is said of one key, in two paragraphs.
struct Entry {
  std::string name, what, meaning;
};

std::string text_of(std::vector<Entry> const& entries) {
  std::size_t longest = 0;
  for (auto const& entry : entries) longest = std::max(longest, entry.name.size());
  std::string text;
  for (auto const& entry : entries) {
    std::size_t const indent = 2 + longest + 2;
    auto const lines = wrapped(entry.what, indent) + wrapped(entry.meaning, indent);
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

Entry entry_of(Parameter const& parameter, std::string const& name) {
  auto const doc = doc_of(parameter.doc);
  std::string what = allowed(parameter);
  if (parameter.required) what += ", required";
  if (!std::holds_alternative<std::monostate>(parameter.fallback)) {
    what += ", default " + json_of(parameter.fallback, parameter).dump();
    if (parameter.natural) what += " (in units that have names there is none)";
  }
  if (!doc.unit.empty()) what += " " + doc.unit;
  return {name, what, doc.words};
}

void add_form(std::vector<Entry>& entries, Form const& form, std::string const& prefix);

void add_key(std::vector<Entry>& entries, Parameter const& parameter, std::string const& name) {
  entries.push_back(entry_of(parameter, name));
  for (auto const& field : parameter.fields) add_key(entries, field, name + "[]." + field.name);
  if (parameter.kind != Kind::object) return;
  auto& what = entries.back().what;
  if (parameter.forms.size() > most_forms_at_once) {
    what += "; " + parameter.forms.front().selector + " is one of " +
            quoted_list(choices_of(parameter.forms));
    return;
  }
  for (auto const& form : parameter.forms) add_form(entries, form, name + ".");
}

/// The keys of a form; with a selector it comes first.
void add_form(std::vector<Entry>& entries, Form const& form, std::string const& prefix) {
  if (!form.choice.empty()) {
    entries.push_back({prefix + form.selector,
                       "'" + form.choice + "'" + (form.is_default ? ", the default" : ""),
                       form.doc});
  }
  for (auto const& parameter : form.parameters)
    add_key(entries, parameter, prefix + parameter.name);
}

/// Keys that every form has.
std::vector<Parameter> shared_keys(std::vector<Form> const& forms) {
  std::vector<Parameter> all;
  for (auto const& parameter : forms.front().parameters) {
    bool const everywhere = std::all_of(forms.begin(), forms.end(), [&](Form const& form) {
      return std::any_of(form.parameters.begin(), form.parameters.end(),
                         [&](Parameter const& each) { return each.name == parameter.name; });
    });
    if (everywhere) all.push_back(parameter);
  }
  return all;
}

bool is_among(std::vector<Parameter> const& keys, std::string const& name) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](Parameter const& key) { return key.name == name; });
}

std::string sentence(std::string const& head, std::string const& doc) {
  return wrapped(head + (doc.empty() ? "" : ": " + doc), 0);
}

/// An object whose forms are many: what they share, and a line each.
std::string summary_of(Parameter const& object, std::string const& place) {
  std::vector<Entry> keys, forms, others;
  for (auto const& parameter : shared_keys(object.forms)) {
    keys.push_back(entry_of(parameter, parameter.name));
  }
  for (auto const& form : object.forms) {
    bool const chosen = !form.choice.empty();
    (chosen ? forms : others).push_back({chosen ? form.choice : form.selector, form.doc, ""});
  }
  std::string text = text_of(keys);
  text += (text.empty() ? "" : "\n") + object.forms.front().selector + " is one of\n";
  text += text_of(forms);
  if (!others.empty()) text += "or instead of it there is\n" + text_of(others);
  return text + "\n" + program_command("help deck " + place + " " + forms.front().name) +
         " has every key of one of them.\n";
}

std::string reference_of(Parameter const& parameter, std::string const& place) {
  if (parameter.kind != Kind::object) {
    std::vector<Entry> entries;
    add_key(entries, parameter, parameter.name);
    return text_of(entries);
  }
  auto const head = sentence(place + (parameter.required ? " (required)" : ""), parameter.doc);
  auto const& first = parameter.forms.front();
  if (parameter.forms.size() == 1 && !first.selector.empty()) {
    std::vector<Entry> entries;
    if (!first.choice.empty()) entries.push_back({first.selector, "\"" + first.choice + "\"", ""});
    for (auto const& each : first.parameters) add_key(entries, each, each.name);
    return head + "\n" + text_of(entries);
  }
  if (parameter.forms.size() > most_forms_at_once) {
    return head + "\n" + summary_of(parameter, place);
  }
  // What all forms have is told once.
  auto const shared = shared_keys(parameter.forms);
  std::vector<Entry> entries;
  for (auto form : parameter.forms) {
    std::erase_if(form.parameters,
                  [&](Parameter const& each) { return is_among(shared, each.name); });
    if (parameter.forms.size() > 1) add_form(entries, form, "");
  }
  for (auto const& each : shared) add_key(entries, each, each.name);
  bool const either = parameter.forms.size() > 1 && first.choice.empty();
  auto const line = either ? "one of " + quoted_list(choices_of(parameter.forms)) + ", and\n" : "";
  return head + "\n" + line + text_of(entries);
}

std::vector<std::string> words_from(Parameter const& parameter) {
  std::vector<std::string> known;
  for (auto const& field : parameter.fields) known.push_back(field.name);
  for (auto const& form : parameter.forms) {
    if (!form.choice.empty()) known.push_back(form.choice);
    for (auto const& each : form.parameters) known.push_back(each.name);
  }
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  return known;
}

/// What a word leads to: one form of the object, or a key of it.
std::optional<Parameter> inner(Parameter const& from, std::string const& word) {
  for (auto const& form : from.forms) {
    auto const& chosen_by = form.choice.empty() ? form.selector : form.choice;
    if (word.empty() || chosen_by != word) continue;
    auto one = from;
    one.forms = {form};
    one.doc = form.doc;
    one.required = false;
    return one;
  }
  // The form that can say most of it, where several have it.
  std::optional<Parameter> fullest;
  for (auto const& form : from.forms) {
    for (auto const& each : form.parameters) {
      bool const fuller = !fullest || words_from(each).size() > words_from(*fullest).size();
      if (each.name == word && fuller) fullest = each;
    }
  }
  if (fullest) return fullest;
  for (auto const& field : from.fields) {
    if (field.name == word) return field;
  }
  // "bodies list mass": what chose the form is a list with fields of its own.
  for (auto const& form : from.forms) {
    for (auto const& each : form.parameters) {
      for (auto const& field : each.fields) {
        if (form.choice.empty() && form.selector == each.name && field.name == word) return field;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

namespace {

using Words = std::vector<std::string>;

/// Collects the defaults of the key that `words` lead to from `from` on, each with the choices of
/// the outermost form that has it: an integrator's name, say.
void collect_defaults(Parameter const& from, std::span<std::string const> words,
                      std::string const& choice, std::map<std::string, Words>& found) {
  if (words.empty()) {
    if (std::holds_alternative<std::monostate>(from.fallback) || choice.empty()) return;
    auto& choices = found[json_of(from.fallback, from).dump()];
    if (choices.empty() || choices.back() != choice) choices.push_back(choice);
    return;
  }
  auto const rest = words.subspan(1);
  for (auto const& form : from.forms) {
    if ((form.choice.empty() ? form.selector : form.choice) == words.front()) {
      auto one = from;
      one.forms = {form};
      collect_defaults(one, rest, choice, found);
    }
    for (auto const& each : form.parameters) {
      if (each.name != words.front()) continue;
      collect_defaults(each, rest, choice.empty() ? form.choice : choice, found);
    }
  }
  for (auto const& field : from.fields) {
    if (field.name == words.front()) collect_defaults(field, rest, choice, found);
  }
}

/// Lists the defaults of a key where they depend on a choice; empty where there is one.
std::string defaults_text(Parameter const& deck, Words const& words) {
  std::map<std::string, Words> found;
  collect_defaults(deck, words, "", found);
  if (found.size() < 2) return "";
  std::vector<Entry> entries;
  for (auto const& [value, choices] : found) entries.push_back({value, quoted_list(choices), ""});
  return "\nthe default depends on the " + words.front() + "\n\n" + text_of(entries);
}

/// The sections in which a word leads on, as words for help: "gravity softening".
std::string place_of(DeckTable const& table, std::string const& word) {
  for (auto const& section : table.sections) {
    if (inner(section, word)) return section.name + " " + word;
  }
  return {};
}
}  // namespace

std::string deck_reference(DeckTable const& table, std::vector<std::string> const& words) {
  auto keys = table.top;
  keys.insert(keys.end(), table.sections.begin(), table.sections.end());
  auto const deck = object("deck", keys, "what a run is, in JSON; each section is an object");
  auto here = deck;
  std::string place;
  for (auto const& word : words) {
    auto const next = inner(here, word);
    if (!next) {
      auto const known = words_from(here);
      auto const close = nearest(word, known);
      auto const deeper = place.empty() ? place_of(table, word) : "";
      std::string const where = place.empty() ? "a deck" : "'" + place + "'";
      throw Error(
          ExitStatus::usage,
          Problem{word, "is not in " + where,
                  known.empty() ? "it has nothing inside" : "there are " + quoted_list(known),
                  !deeper.empty() ? "see " + program_command("help deck " + deeper)
                  : close.empty() ? "see " + program_command("help deck")
                                  : "did you mean '" + close + "'?"});
    }
    here = *next;
    place += (place.empty() ? "" : " ") + word;
  }
  if (!words.empty()) return reference_of(here, place) + defaults_text(deck, words);
  std::vector<Entry> entries;
  for (auto const& key : keys) {
    auto entry = entry_of(key, key.name);
    if (key.kind == Kind::object) entry.what = key.required ? "required" : "";
    entries.push_back(std::move(entry));
  }
  return sentence("a deck", here.doc) + "\n" + text_of(entries) + "\n" +
         program_command("help deck gravity") + " has the keys of a section.\n";
}

}  // namespace apsis::io
