// SPDX-License-Identifier: Apache-2.0
#include "json_text.hpp"

#include "core/decimal.hpp"
#include <apsis/core/text.hpp>

#include <utility>

namespace apsis::deck {

void add_problem(std::vector<Problem>& problems, Problem problem) {
  if (is_full_list(problems)) return;
  if (problems.size() == max_problems) {
    problem = {"deck", "more problems",
               "only the first " + std::to_string(max_problems) + " are shown",
               "correct them and check again"};
  }
  problems.push_back(std::move(problem));
}

std::string join(std::string const& path, std::string const& key) {
  auto const shown = shortened(key, 60);
  return path.empty() ? shown : path + "." + shown;
}

namespace {

/// Builds the value from parser events and detects duplicate keys, which the value would not show.
/// (The library's parser callback is not used: it traverses the whole array at each step.)
class Builder : public Json::json_sax_t {
 public:
  Builder(std::string source, std::vector<Problem>& problems)
      : source_(std::move(source)), problems_(problems) {}

  Json root;
  std::string error;  ///< syntax error; empty if there is none

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, string_t const& /*text*/) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t& value) override { return add(std::move(value)); }
  bool start_object(std::size_t /*size*/) override { return enter(Json::object()); }
  bool start_array(std::size_t /*size*/) override { return enter(Json::array()); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool key(string_t& name) override {
    auto& object = open_.back();
    object.key = std::move(name);
    if (object.value->contains(object.key)) report_duplicate();
    return true;
  }
  bool parse_error(std::size_t /*position*/, std::string const& /*token*/,
                   nlohmann::detail::exception const& exception) override {
    error = message_of(exception);
    return false;
  }

 private:
  struct Container {
    Json* value;
    std::string key;  ///< most recent key of an object
  };

  static std::string message_of(Json::exception const& exception);

  Json* place(Json&& value) {
    if (open_.empty()) return &(root = std::move(value));
    auto& [container, key] = open_.back();
    if (!container->is_array()) return &((*container)[key] = std::move(value));
    container->push_back(std::move(value));
    return &container->back();
  }

  bool add(Json value) {
    place(std::move(value));
    return true;
  }

  bool enter(Json&& empty) {
    // A deck is never this deep. Recursive functions over the result rely on this limit.
    if (open_.size() > 64) {
      throw Error(ExitStatus::bad_input,
                  Problem{source_, "nested too deeply", "a deck has no more than a few levels",
                          "remove empty brackets"});
    }
    open_.push_back({place(std::move(empty)), {}});
    return true;
  }

  bool leave() {
    open_.pop_back();
    return true;
  }

  void report_duplicate() {
    std::string path;
    for (auto const& [value, key] : open_) {
      path = value->is_array() ? path + "[" + std::to_string(value->size() - 1) + "]"
                               : join(path, key);
    }
    add_problem(problems_, {source_ + ": " + path, "duplicate key",
                            "one of the two values would be ignored", "keep one of them"});
  }

  std::string source_;
  std::vector<Problem>& problems_;
  std::vector<Container> open_;
};

/// The library's message without its prefix (error name and number).
std::string Builder::message_of(Json::exception const& exception) {
  std::string const text = exception.what();
  auto const end = text.find("] ");
  return shortened(end == std::string::npos ? text : text.substr(end + 2), 200);
}

/// Splits a path: `a.b[2].c` gives a, b, [2, c ('[' marks an index). Empty if it is malformed.
std::vector<std::string> split_path(std::string const& path) {
  std::vector<std::string> steps(1);
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == ']') return {};
    if (path[i] == '.') {
      steps.emplace_back();
    } else if (path[i] == '[') {
      auto const close = path.find(']', i);
      std::uint64_t index = 0;
      bool const digits =
          close != std::string::npos && close < i + 10 &&
          read_decimal(std::string_view(path).substr(i + 1, close - i - 1), index) == Numeral::good;
      bool const followed =
          close + 1 == path.size() || path[close + 1] == '.' || path[close + 1] == '[';
      if (!digits || !followed) return {};
      steps.push_back(path.substr(i, close - i));
      i = close;
    } else {
      steps.back() += path[i];
    }
  }
  for (auto const& step : steps) {
    if (step.empty()) return {};
  }
  return steps;
}

/// Whether the text is valid UTF-8, as JSON requires.
bool is_utf8(std::string const& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::ignore) ==
         Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string in_words(Json const& json) {
  return shortened(json.dump(-1, ' ', false, Json::error_handler_t::replace), 60);
}

/// Adds the differences at `path`. A value of one deck alone is one, but sections are split.
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

Json parse_json(std::string const& text, std::string const& source,
                std::vector<Problem>& problems) {
  Builder builder(source, problems);
  if (Json::sax_parse(text, &builder)) return std::move(builder.root);
  add_problem(problems, {source, "not valid JSON", builder.error,
                         "correct the text there (keys and strings need double quotes; JSON has no "
                         "comments, and no comma after the last element of a list)"});
  return Json::object();
}

void apply_override(Json& deck, std::string const& assignment, std::vector<Problem>& problems) {
  auto const usage = [&](char const* why) {
    throw Error(ExitStatus::usage,
                Problem{"--set " + shortened(assignment, 80), "not an assignment", why,
                        "write --set section.key=value or --set 'section.list[0].key=value'"});
  };
  auto const equals = assignment.find('=');
  if (equals == std::string::npos) usage("there is no '='");
  if (!is_utf8(assignment)) usage("it is not UTF-8");
  std::string const path = assignment.substr(0, equals);
  std::string const text = assignment.substr(equals + 1);
  std::string const where = "--set " + shortened(path, 80);
  auto const steps = split_path(path);
  if (steps.empty()) usage("the text before '=' is not a path");
  if (text.empty()) {
    throw Error(ExitStatus::usage,
                Problem{where, "must not be empty", "nothing follows '='",
                        "give a value; null removes the key, '\"\"' is an empty string"});
  }

  Json* target = &deck;
  Json* parent = nullptr;
  for (auto const& step : steps) {
    parent = target;
    if (step.front() == '[') {
      auto const index = std::stoull(step.substr(1));
      if (!target->is_array() || index >= target->size()) {
        problems.push_back({where, "no element " + step + "]", "the deck has no such array element",
                            "name one that it has"});
        return;
      }
      target = &(*target)[index];
    } else {
      if (!target->is_object()) {
        problems.push_back({where, "no such place", "'" + step + "' would not be in an object",
                            "write section.key"});
        return;
      }
      target = &(*target)[step];
      if (target->is_null()) *target = Json::object();
    }
  }
  // A deck has no nulls: null removes a key, such as one that contradicts a new key.
  if (text == "null" && parent->is_object()) {
    parent->erase(steps.back());
    return;
  }
  std::vector<Problem> syntax;
  Json value = parse_json(text, where, syntax);
  // Blanks around brackets are valid JSON; around a number they are probably a quoting mistake.
  bool const padded = value.is_number() && trimmed(text) != text;
  bool const is_json = Json::accept(text) && !padded;
  if (is_json) problems.insert(problems.end(), syntax.begin(), syntax.end());
  *target = is_json ? std::move(value) : Json(text);
}

std::string write_deck(Deck const& deck, DeckTable const& table) {
  files::Ordered json = files::json_of(table.top, deck.top);
  for (auto const& section : table.sections) {
    if (!deck.has(section.name)) continue;
    Values const& values = deck.sections.at(section.name);
    json[section.name] = files::json_of(form_of(section.forms, values), values);
  }
  return json.dump(2) + "\n";
}

std::vector<DeckDifference> deck_differences(std::string const& before, std::string const& after) {
  std::vector<DeckDifference> differences;
  collect(Json::parse(before, nullptr, false), Json::parse(after, nullptr, false), "", differences);
  return differences;
}

bool may_change(std::string const& path, DeckTable const& table) {
  return may_change(path, table.top) || may_change(path, table.sections);
}

}  // namespace apsis::deck
