// SPDX-License-Identifier: Apache-2.0
#include "values.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <utility>

namespace apsis::deck {

namespace {

std::vector<std::string> names_of(std::vector<Parameter> const& parameters) {
  std::vector<std::string> names;
  for (auto const& parameter : parameters) names.push_back(parameter.name);
  return names;
}

bool is_in(std::vector<std::string> const& names, std::string const& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Reader {
 public:
  /// `overrides`: assignments that were applied to the deck, such as "run.steps=100".
  Reader(std::string source, std::vector<std::string> const& overrides, DeckTable const& table,
         std::vector<Problem>& problems)
      : overrides_(overrides),
        table_(table),
        faults_(std::move(source), problems),
        values_(table, faults_) {}

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
      bool const present = json.contains(section.name);
      if (!present && section.required) {
        if (is_misnamed(section.name)) continue;
        faults_.add(section.name, "missing section", section.doc,
                    "add \"" + section.name + "\": {...}");
      } else if (present || section.is_always_present) {
        auto values = read_object(section.name, present ? json.at(section.name) : empty_, section);
        if (values) deck.sections[section.name] = std::move(*values);
      }
    }
    deck.misnamed = std::move(misnamed_);
    return deck;
  }

 private:
  /// Whether a section, or a key of it, was reported already under another name.
  bool is_misnamed(std::string const& section) const {
    return std::any_of(misnamed_.begin(), misnamed_.end(), [&](std::string const& path) {
      return path == section || path.rfind(section + ".", 0) == 0;
    });
  }

  /// Reports unknown keys of an object. `reported`: keys that are not allowed, but were reported
  /// already. `parameter`: description of the object if it may have other forms.
  void check_keys(std::string const& path, Json const& object,
                  std::vector<std::string> const& known,
                  std::vector<std::string> const& reported = {},
                  Parameter const* parameter = nullptr) {
    auto offered = known;
    if (parameter != nullptr) {
      for (auto const& key : keys_by_presence(*parameter, object)) {
        if (!is_in(offered, key)) offered.push_back(key);
      }
    }
    for (auto const& item : object.items()) {
      if (is_in(known, item.key()) || is_in(reported, item.key())) continue;
      if (faults_.skip()) continue;
      auto const suggestion = suggest_key(table_, path, item.key(), item.value(), known);
      std::string const other = parameter != nullptr ? other_form(*parameter, item.key()) : "";
      std::string const close = nearest(item.key(), offered);
      std::string advice = "remove it";
      // A key of another form of this object is more likely than an alias of a key elsewhere.
      bool const elsewhere = !suggestion.path.empty() && !suggestion.path.starts_with(path + ".");
      if (!other.empty() && elsewhere) {
        advice = other;
      } else if (!suggestion.advice.empty()) {
        advice = suggestion.advice;
        if (!suggestion.path.empty()) misnamed_.insert(suggestion.path);
      } else if (is_in(enclosing_, item.key())) {
        advice = "it belongs beside '" + path.substr(path.rfind('.') + 1) + "', not in it";
      } else if (!other.empty()) {
        advice = other;
      } else if (!close.empty()) {
        advice = "did you mean '" + close + "'?";
        misnamed_.insert(join(path, close));
      } else if (auto const home = home_of(table_, item.key()); !home.empty()) {
        advice = home;
      }
      // Show a list of keys once, for example that of list records.
      bool const first = shown_.insert(quoted_list(offered)).second;
      faults_.add(join(path, item.key()), "unknown key",
                  first ? "allowed: " + quoted_list(offered) : "allowed keys: see above", advice);
    }
  }

  /// Reads an object at `path`. Returns nothing if its form cannot be determined.
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
    // The selectors of the other forms were checked when the form was chosen.
    std::vector<std::string> reported;
    for (auto const& other : object.forms) {
      if (other.selector != form->selector) reported.push_back(other.selector);
    }
    check_keys(path, json, known, reported, &object);
    for (auto const& parameter : form->parameters) {
      read_parameter(path, json, parameter, values);
    }
    check_one_of(path, json, *form);
    return values;
  }

  bool is_overridden(std::string const& path) const {
    return std::any_of(overrides_.begin(), overrides_.end(), [&](std::string const& assignment) {
      return trimmed(std::string_view(assignment).substr(0, assignment.find('='))) == path;
    });
  }

  /// Advice for contradictory keys: if an override set some of them, to leave the others out.
  std::string advice_to_keep_one(std::string const& path,
                                 std::vector<std::string> const& keys) const {
    std::string removals;
    bool has_override = false;
    for (auto const& key : keys) {
      auto const place = join(path, key);
      bool const is_wanted = is_overridden(place);
      has_override = has_override || is_wanted;
      if (!is_wanted) removals += (removals.empty() ? "--set " : " --set ") + place + "=null";
    }
    return has_override && !removals.empty() ? "add " + removals : "keep one of them";
  }

  void check_one_of(std::string const& path, Json const& json, Form const& form) {
    std::vector<std::string> present;
    for (auto const& key : form.one_of) {
      if (misnamed_.count(join(path, key)) > 0) return;
      if (json.contains(key)) present.push_back(key);
    }
    if (present.size() > 1) {
      faults_.add(path, "contradictory keys", quoted_list(present) + " are given together",
                  advice_to_keep_one(path, present));
    } else if (present.empty() && !form.one_of.empty()) {
      faults_.add(join(path, form.one_of.front()), "missing key", "",
                  "give one of " + quoted_list(form.one_of));
    }
  }

  /// Checks an object of unknown form: reports keys that no form has, and values that are wrong in
  /// the first form that has their key.
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

  /// The form of an object. If it cannot be determined, reports why and returns null.
  Form const* choose_form(std::string const& path, Json const& json, Parameter const& object,
                          Values& values) {
    std::vector<std::string> selectors, present;
    Form const* fallback = nullptr;
    for (auto const& form : object.forms) {
      if (form.selector.empty()) return &form;
      if (form.is_default) fallback = &form;
      bool const is_listed = !selectors.empty() && selectors.back() == form.selector;
      if (!is_listed) {
        selectors.push_back(form.selector);
        if (json.contains(form.selector)) present.push_back(form.selector);
      }
    }
    if (present.size() > 1) {
      faults_.add(path, "contradictory keys", quoted_list(present) + " are given together",
                  advice_to_keep_one(path, present));
    }
    if (present.empty() && fallback == nullptr) {
      check_without_form(path, json, object);
      bool const misnamed = std::any_of(
          selectors.begin(), selectors.end(),
          [&](std::string const& selector) { return misnamed_.count(join(path, selector)) > 0; });
      auto const choice = guess_choice(object, json);
      if (!misnamed) {
        faults_.add(path, "missing key", object.doc,
                    choice.empty() ? "give one of " + quoted_list(selectors) : "give " + choice);
      }
      return nullptr;
    }
    if (present.empty()) {
      if (auto const* const form = guess_form(object, json)) return form;
      values.set(fallback->selector, fallback->choice);
      return fallback;
    }
    std::vector<std::string> choices;
    for (auto const& form : object.forms) {
      if (form.selector != present.front()) continue;
      if (form.choice.empty()) return &form;
      choices.push_back(form.choice);
      if (json.at(form.selector) == form.choice) {
        values.set(form.selector, form.choice);
        return &form;
      }
    }
    values_.not_among(join(path, present.front()), json.at(present.front()), choices);
    check_without_form(path, json, object);
    return nullptr;
  }

  void read_parameter(std::string const& path, Json const& object, Parameter const& parameter,
                      Values& values) {
    std::string const key_path = join(path, parameter.name);
    if (!object.contains(parameter.name)) {
      // A misnamed key was reported already.
      if (parameter.required && misnamed_.count(key_path) > 0) return;
      if (parameter.required) {
        faults_.add(key_path, "missing key", parameter.doc, "must be " + allowed(parameter));
      } else if (parameter.is_always_present) {
        auto value = read_value(key_path, empty_, parameter);
        if (value) values.set(parameter.name, std::move(*value));
      } else if (!parameter.natural &&
                 !std::holds_alternative<std::monostate>(parameter.fallback)) {
        values.set(parameter.name, parameter.fallback);
      }
      return;
    }
    auto value = read_value(key_path, object.at(parameter.name), parameter);
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
      std::string const element = path + "[" + std::to_string(i) + "]";
      if (!parameter.forms.empty()) {
        if (auto values = read_object(element, array[i], parameter)) {
          list.push_back(std::move(*values));
        }
        continue;
      }
      if (!array[i].is_object()) {
        faults_.add(element, "wrong type", "found " + describe(array[i]), "write an object");
        continue;
      }
      check_keys(element, array[i], known);
      Values record;
      auto const outside = std::exchange(enclosing_, known);
      for (auto const& field : parameter.fields) read_parameter(element, array[i], field, record);
      enclosing_ = outside;
      list.push_back(std::move(record));
    }
    if (faults_.count() != before) return std::nullopt;
    return list;
  }

  std::vector<std::string> const& overrides_;
  DeckTable const& table_;
  DeckFaults faults_;
  DeckValues values_;
  std::set<std::string> shown_;         ///< lists of allowed keys that were shown in errors
  std::vector<std::string> enclosing_;  ///< keys of the enclosing record
  std::set<std::string> misnamed_;      ///< see Deck::misnamed
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
  // After a syntax error every key would be reported as missing.
  if (!is_json) return {};
  return Reader(source, overrides, table, problems).read(parsed);
}

}  // namespace apsis::deck
