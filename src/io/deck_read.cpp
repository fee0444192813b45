// SPDX-License-Identifier: Apache-2.0
#include "deck_alias.hpp"
#include "deck_homes.hpp"
#include "deck_values.hpp"
#include "json_text.hpp"
#include <apsis/core/text.hpp>
#include <apsis/io/deck.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace apsis::io {

namespace {

std::vector<std::string> names_of(std::vector<Parameter> const& parameters) {
  std::vector<std::string> names;
  for (auto const& parameter : parameters) names.push_back(parameter.name);
  return names;
}

bool is_in(std::vector<std::string> const& names, std::string const& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Checks one deck against the table and collects everything that is wrong with it.
class Reader {
 public:
  Reader(std::string source, DeckTable const& table, std::vector<Problem>& problems)
      : table_(table), faults_(std::move(source), problems), values_(table, faults_) {}

  Deck read(Json const& json) {
    Deck deck;
    if (!json.is_object()) {
      faults_.add("", "not a deck", "the text is " + describe(json), "write a JSON object");
      return deck;
    }
    auto known = names_of(table_.top);
    for (auto const& section : table_.sections) known.push_back(section.name);
    check_keys("", json, known);
    for (auto const& parameter : table_.top) read_parameter("", json, parameter, deck.top);
    for (auto const& section : table_.sections) {
      bool const given = json.contains(section.name);
      if (!given && section.required) {
        if (is_meant(section.name)) continue;
        faults_.add(section.name, "missing section", section.doc,
                    "add \"" + section.name + "\": {...}");
      } else if (given || section.always) {
        auto values = read_object(section.name, given ? json.at(section.name) : empty_, section);
        if (values) deck.sections[section.name] = std::move(*values);
      }
    }
    deck.meant = std::move(meant_);
    return deck;
  }

 private:
  /// Whether a section, or a key of it, was given by another word: it is wrong once, and not
  /// missing besides.
  bool is_meant(std::string const& section) const {
    return std::any_of(meant_.begin(), meant_.end(), [&](std::string const& path) {
      return path == section || path.rfind(section + ".", 0) == 0;
    });
  }

  /// `judged`: keys that are not allowed either, but were reported already. `of`: what the object
  /// is, if it has other forms.
  void check_keys(std::string const& path, Json const& object,
                  std::vector<std::string> const& known,
                  std::vector<std::string> const& judged = {}, Parameter const* of = nullptr) {
    auto offered = known;
    if (of != nullptr) {
      for (auto const& key : keys_by_presence(*of, object)) {
        if (!is_in(offered, key)) offered.push_back(key);
      }
    }
    for (auto const& item : object.items()) {
      if (is_in(known, item.key()) || is_in(judged, item.key())) continue;
      if (faults_.passed_over()) continue;
      auto const meant = meant_key(table_, path, item.key(), item.value(), known);
      std::string const other = of != nullptr ? other_form(*of, item.key()) : "";
      std::string const close = nearest(item.key(), offered);
      std::string advice = "remove it";
      // What another form of this object has is meant rather than a word for something elsewhere.
      bool const elsewhere = !meant.path.empty() && !meant.path.starts_with(path + ".");
      if (!other.empty() && elsewhere) {
        advice = other;
      } else if (!meant.advice.empty()) {
        advice = meant.advice;
        if (!meant.path.empty()) meant_.insert(meant.path);
      } else if (is_in(enclosing_, item.key())) {
        advice = "it belongs beside '" + path.substr(path.rfind('.') + 1) + "', not in it";
      } else if (!other.empty()) {
        advice = other;
      } else if (!close.empty()) {
        advice = "did you mean '" + close + "'?";
        meant_.insert(join(path, close));
      } else if (auto const home = home_of(table_, item.key()); !home.empty()) {
        advice = home;
      }
      // The keys of a list's records are told once.
      bool const first = told_.insert(quoted_list(offered)).second;
      faults_.add(join(path, item.key()), "unknown key",
                  first ? "allowed: " + quoted_list(offered) : "allowed are those above", advice);
    }
  }

  /// The values of an object at `path`, or nothing if it is not known which form it has.
  std::optional<Values> read_object(std::string const& path, Json const& json,
                                    Parameter const& object) {
    if (!json.is_object()) {
      faults_.add(path, "wrong type", "found " + describe(json),
                  "write " + object_for(table_, path, json, object));
      return std::nullopt;
    }
    Values values;
    Form const* form = choose_form(path, json, object, values);
    if (form == nullptr) return std::nullopt;
    auto known = names_of(form->parameters);
    if (!form->choice.empty()) known.insert(known.begin(), form->selector);
    // The selectors of the other forms were judged when the form was chosen.
    std::vector<std::string> judged;
    for (auto const& other : object.forms) {
      if (other.selector != form->selector) judged.push_back(other.selector);
    }
    check_keys(path, json, known, judged, &object);
    for (auto const& parameter : form->parameters) {
      read_parameter(path, json, parameter, values);
    }
    check_one_of(path, json, *form);
    return values;
  }

  void check_one_of(std::string const& path, Json const& json, Form const& form) {
    std::vector<std::string> given;
    for (auto const& key : form.one_of) {
      if (meant_.count(join(path, key)) > 0) return;
      if (json.contains(key)) given.push_back(key);
    }
    if (given.size() > 1) {
      faults_.add(path, "contradictory keys", quoted_list(given) + " are given together",
                  "keep one of them");
    } else if (given.empty() && !form.one_of.empty()) {
      faults_.add(join(path, form.one_of.front()), "missing key", "",
                  "give one of " + quoted_list(form.one_of));
    }
  }

  /// What can still be said of an object when it is not known which form it has: keys that no form
  /// has, and values that are wrong in the first form that has their key.
  void check_without_form(std::string const& path, Json const& json, Parameter const& object) {
    std::vector<std::string> known;
    Values unused;
    for (auto const& form : object.forms) {
      if (!form.choice.empty()) known.push_back(form.selector);
      for (auto const& parameter : form.parameters) {
        if (is_in(known, parameter.name)) continue;
        known.push_back(parameter.name);
        if (json.contains(parameter.name)) read_parameter(path, json, parameter, unused);
      }
    }
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    check_keys(path, json, known);
  }

  /// Null, and told why, if it is not known which.
  Form const* choose_form(std::string const& path, Json const& json, Parameter const& object,
                          Values& values) {
    std::vector<std::string> selectors, given;
    Form const* fallback = nullptr;
    for (auto const& form : object.forms) {
      if (form.selector.empty()) return &form;
      if (form.is_default) fallback = &form;
      bool const seen = !selectors.empty() && selectors.back() == form.selector;
      if (!seen) {
        selectors.push_back(form.selector);
        if (json.contains(form.selector)) given.push_back(form.selector);
      }
    }
    if (given.size() > 1) {
      faults_.add(path, "contradictory keys", quoted_list(given) + " are given together",
                  "keep one of them");
    }
    if (given.empty() && fallback == nullptr) {
      check_without_form(path, json, object);
      bool const meant = std::any_of(
          selectors.begin(), selectors.end(),
          [&](std::string const& selector) { return meant_.count(join(path, selector)) > 0; });
      auto const choice = choice_meant(object, json);
      if (!meant) {
        faults_.add(path, "missing key", object.doc,
                    choice.empty() ? "give one of " + quoted_list(selectors) : "give " + choice);
      }
      return nullptr;
    }
    if (given.empty()) {
      if (auto const* const meant = form_meant(object, json)) return meant;
      values.set(fallback->selector, fallback->choice);
      return fallback;
    }
    std::vector<std::string> choices;
    for (auto const& form : object.forms) {
      if (form.selector != given.front()) continue;
      if (form.choice.empty()) return &form;
      choices.push_back(form.choice);
      if (json.at(form.selector) == form.choice) {
        values.set(form.selector, form.choice);
        return &form;
      }
    }
    values_.not_among(join(path, given.front()), json.at(given.front()), choices);
    check_without_form(path, json, object);
    return nullptr;
  }

  void read_parameter(std::string const& path, Json const& object, Parameter const& parameter,
                      Values& values) {
    std::string const here = join(path, parameter.name);
    if (!object.contains(parameter.name)) {
      // One that was given by another word is wrong once, and not missing besides.
      if (parameter.required && meant_.count(here) > 0) return;
      if (parameter.required) {
        faults_.add(here, "missing key", parameter.doc, "must be " + allowed(parameter));
      } else if (parameter.always) {
        auto value = read_value(here, empty_, parameter);
        if (value) values.set(parameter.name, std::move(*value));
      } else if (!parameter.natural &&
                 !std::holds_alternative<std::monostate>(parameter.fallback)) {
        values.set(parameter.name, parameter.fallback);
      }
      return;
    }
    auto value = read_value(here, object.at(parameter.name), parameter);
    if (value) values.set(parameter.name, std::move(*value));
  }

  std::optional<Value> read_value(std::string const& path, Json const& json,
                                  Parameter const& parameter) {
    if (parameter.kind == Kind::object) {
      auto values = read_object(path, json, parameter);
      if (!values) return std::nullopt;
      return std::make_shared<Values const>(std::move(*values));
    }
    if (parameter.kind != Kind::records) return values_.read(path, json, parameter);
    if (json.is_array()) return read_records(path, json, parameter);
    faults_.add(path, "wrong type", "found " + describe(json),
                "write \"" + parameter.name + "\": " + records_for(parameter, json));
    return std::nullopt;
  }

  std::optional<Value> read_records(std::string const& path, Json const& array,
                                    Parameter const& parameter) {
    if (array.empty()) {
      faults_.add(path, "empty", "there is nothing in it", "must be " + allowed(parameter));
      return std::nullopt;
    }
    auto const known = names_of(parameter.fields);
    std::vector<Values> list;
    auto const before = faults_.count();
    for (std::size_t i = 0; i < array.size(); ++i) {
      std::string const here = path + "[" + std::to_string(i) + "]";
      if (!array[i].is_object()) {
        faults_.add(here, "wrong type", "found " + describe(array[i]), "write an object");
        continue;
      }
      check_keys(here, array[i], known);
      Values record;
      auto const outside = std::exchange(enclosing_, known);
      for (auto const& field : parameter.fields) read_parameter(here, array[i], field, record);
      enclosing_ = outside;
      list.push_back(std::move(record));
    }
    if (faults_.count() != before) return std::nullopt;
    return list;
  }

  DeckTable const& table_;
  DeckFaults faults_;
  DeckValues values_;
  std::set<std::string> told_;          ///< lists of keys that are allowed somewhere
  std::vector<std::string> enclosing_;  ///< keys of the record that this is in
  std::set<std::string> meant_;         ///< as the deck has it
  Json const empty_ = Json::object();
};

}  // namespace

Deck read_deck(std::string const& json, std::string const& source,
               std::vector<std::string> const& overrides, DeckTable const& table,
               std::vector<Problem>& problems) {
  auto const before = problems.size();
  Json parsed = parse_json(json, source, problems);
  bool const is_json = problems.size() == before || Json::accept(json);
  for (auto const& assignment : overrides) apply_override(parsed, assignment, problems);
  // After a syntax error every key would be "missing": one problem says enough.
  if (!is_json) return {};
  return Reader(source, table, problems).read(parsed);
}

}  // namespace apsis::io
