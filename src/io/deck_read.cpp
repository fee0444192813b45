// SPDX-License-Identifier: Apache-2.0
#include "deck_alias.hpp"
#include "deck_homes.hpp"
#include "json_text.hpp"
#include <apsis/core/text.hpp>
#include <apsis/io/deck.hpp>

#include <algorithm>
#include <cmath>
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
      : source_(std::move(source)), table_(table), problems_(problems) {}

  Deck read(Json const& json) {
    Deck deck;
    if (!json.is_object()) {
      problem("", "not a deck", "the text is " + describe(json), "write a JSON object");
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
        problem(section.name, "missing section", section.doc,
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

  void problem(std::string const& path, std::string what, std::string why, std::string advice) {
    ++found_;
    add_problem(problems_, {path.empty() ? source_ : source_ + ": " + path, std::move(what),
                            std::move(why), std::move(advice)});
  }

  /// A value as a reader of the deck would call it.
  static std::string describe(Json const& json) {
    if (json.is_object()) return "an object";
    std::string const text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (json.is_array() && text.size() > 40) {
      return "an array of " + std::to_string(json.size());
    }
    return shortened(text, 40);
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
      if (enough(problems_)) {
        ++found_;
        continue;
      }
      auto const meant = meant_key(table_, path, item.key(), item.value(), known);
      std::string const other = of != nullptr ? other_form(*of, item.key()) : "";
      std::string const close = nearest(item.key(), offered);
      std::string advice = "remove it";
      if (!meant.advice.empty()) {
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
      problem(join(path, item.key()), "unknown key",
              first ? "allowed: " + quoted_list(offered) : "allowed are those above", advice);
    }
  }

  /// The values of an object at `path`, or nothing if it is not known which form it has.
  std::optional<Values> read_object(std::string const& path, Json const& json,
                                    Parameter const& object) {
    if (!json.is_object()) {
      problem(path, "wrong type", "found " + describe(json),
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
      problem(path, "contradictory keys", quoted_list(given) + " are given together",
              "keep one of them");
    } else if (given.empty() && !form.one_of.empty()) {
      problem(join(path, form.one_of.front()), "missing key", "",
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
      problem(path, "contradictory keys", quoted_list(given) + " are given together",
              "keep one of them");
    }
    if (given.empty() && fallback == nullptr) {
      check_without_form(path, json, object);
      bool const meant = std::any_of(
          selectors.begin(), selectors.end(),
          [&](std::string const& selector) { return meant_.count(join(path, selector)) > 0; });
      auto const choice = choice_meant(object, json);
      if (!meant) {
        problem(path, "missing key", object.doc,
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
    not_among(join(path, given.front()), json.at(given.front()), choices);
    check_without_form(path, json, object);
    return nullptr;
  }

  void not_among(std::string const& path, Json const& json,
                 std::vector<std::string> const& choices) {
    std::string advice = "must be one of " + quoted_list(choices);
    auto const meant = json.is_string() ? advice_for_value(table_, path, json, choices) : "";
    if (!meant.empty()) {
      advice += "; " + meant;
    } else if (json.is_string()) {
      auto const close = nearest(json.get<std::string>(), choices);
      if (!close.empty()) advice += "; did you mean '" + close + "'?";
    }
    problem(path, json.is_string() ? "unknown value" : "wrong type", "found " + describe(json),
            advice);
  }

  void read_parameter(std::string const& path, Json const& object, Parameter const& parameter,
                      Values& values) {
    std::string const here = join(path, parameter.name);
    if (!object.contains(parameter.name)) {
      // One that was given by another word is wrong once, and not missing besides.
      if (parameter.required && meant_.count(here) > 0) return;
      if (parameter.required) {
        problem(here, "missing key", parameter.doc, "must be " + allowed(parameter));
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
    switch (parameter.kind) {
      case Kind::text:
        if (json.is_string()) return read_text(path, json.get<std::string>());
        break;
      case Kind::choice:
        for (auto const& name : parameter.choices) {
          if (json == name) return name;
        }
        not_among(path, json, parameter.choices);
        return std::nullopt;
      case Kind::boolean:
        if (json.is_boolean()) return json.get<bool>();
        break;
      case Kind::number:
        if (json.is_number()) return in_range(path, json, json.get<double>(), parameter);
        if (parameter.measure && json.is_string()) {
          auto const quantity = quantity_in(json.get<std::string>());
          if (quantity && quantity->of == *parameter.measure) {
            return in_range(path, json, quantity->si, parameter);
          }
          problem(path, "not a unit of its kind", "found " + describe(json),
                  "must be " + allowed(parameter));
          return std::nullopt;
        }
        break;
      case Kind::integer:
        // 1000.0 and 1e3 are whole numbers too, as in JSON Schema.
        if (json.is_number() && json.get<double>() == std::floor(json.get<double>())) {
          return read_integer(path, json, parameter);
        }
        break;
      case Kind::vector3:
        if (is_vector(json)) {
          return Vec3<double>{json[0].get<double>(), json[1].get<double>(), json[2].get<double>()};
        }
        break;
      case Kind::numbers:
        if (json.is_array()) return read_numbers(path, json, parameter);
        break;
      case Kind::object: {
        auto values = read_object(path, json, parameter);
        if (!values) return std::nullopt;
        return std::make_shared<Values const>(std::move(*values));
      }
      case Kind::records:
        if (json.is_array()) return read_records(path, json, parameter);
        problem(path, "wrong type", "found " + describe(json),
                "write \"" + parameter.name + "\": " + records_for(parameter, json));
        return std::nullopt;
    }
    auto const meant =
        json.is_string() ? advice_for_value(table_, path, json.get<std::string>(), {}) : "";
    problem(path, "wrong type", "found " + describe(json),
            meant.empty() ? "must be " + allowed(parameter) : meant);
    return std::nullopt;
  }

  /// A name with a NUL would be cut there by the system, and be another.
  std::optional<Value> read_text(std::string const& path, std::string text) {
    if (text.find('\0') == std::string::npos) return text;
    problem(path, "has a NUL character", "no name or line has one", "remove the \\u0000");
    return std::nullopt;
  }

  static bool is_vector(Json const& json) {
    if (!json.is_array() || json.size() != 3) return false;
    for (auto const& component : json) {
      if (!component.is_number() || !std::isfinite(component.get<double>())) return false;
    }
    return true;
  }

  std::optional<Value> read_integer(std::string const& path, Json const& json,
                                    Parameter const& parameter) {
    double const approximate = json.get<double>();
    if (!in_range(path, json, approximate, parameter)) return std::nullopt;
    if (std::abs(approximate) > 0x1p62) {
      problem(path, "out of range", "found " + describe(json), "must be below 2^62");
      return std::nullopt;
    }
    if (json.is_number_integer()) return json.get<std::int64_t>();
    return static_cast<std::int64_t>(approximate);
  }

  std::optional<Value> in_range(std::string const& path, Json const& json, double value,
                                Parameter const& parameter) {
    bool const above =
        parameter.minimum_excluded ? value > parameter.minimum : value >= parameter.minimum;
    bool const below =
        parameter.maximum_excluded ? value < parameter.maximum : value <= parameter.maximum;
    if (std::isfinite(value) && above && below) return value;
    auto one = parameter;
    if (one.kind == Kind::numbers) one.kind = Kind::number;
    problem(path, "out of range", "found " + describe(json), "must be " + allowed(one));
    return std::nullopt;
  }

  std::optional<Value> read_numbers(std::string const& path, Json const& array,
                                    Parameter const& parameter) {
    std::vector<double> list;
    for (std::size_t i = 0; i < array.size(); ++i) {
      std::string const here = path + "[" + std::to_string(i) + "]";
      if (!array[i].is_number()) {
        problem(here, "wrong type", "found " + describe(array[i]), "write a number");
      } else if (in_range(here, array[i], array[i].get<double>(), parameter)) {
        list.push_back(array[i].get<double>());
      }
    }
    if (list.size() != array.size()) return std::nullopt;
    return list;
  }

  std::optional<Value> read_records(std::string const& path, Json const& array,
                                    Parameter const& parameter) {
    if (array.empty()) {
      problem(path, "empty", "there is nothing in it", "must be " + allowed(parameter));
      return std::nullopt;
    }
    auto const known = names_of(parameter.fields);
    std::vector<Values> list;
    auto const before = found_;
    for (std::size_t i = 0; i < array.size(); ++i) {
      std::string const here = path + "[" + std::to_string(i) + "]";
      if (!array[i].is_object()) {
        problem(here, "wrong type", "found " + describe(array[i]), "write an object");
        continue;
      }
      check_keys(here, array[i], known);
      Values record;
      auto const outside = std::exchange(enclosing_, known);
      for (auto const& field : parameter.fields) read_parameter(here, array[i], field, record);
      enclosing_ = outside;
      list.push_back(std::move(record));
    }
    if (found_ != before) return std::nullopt;
    return list;
  }

  std::string source_;
  DeckTable const& table_;
  std::vector<Problem>& problems_;
  std::size_t found_ = 0;               ///< problems, told or not
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
