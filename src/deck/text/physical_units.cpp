// SPDX-License-Identifier: Apache-2.0
#include "part.hpp"

#include <memory>
#include <utility>

namespace apsis::deck {

namespace {

/// Values of a key that may imply another one, each with the words for it.
std::vector<std::pair<Value, std::string>> candidates(Parameter const& key) {
  if (key.kind == Kind::number) return {{Value(1.0), key.name + " is given"}};
  std::vector<std::pair<Value, std::string>> values;
  for (auto const& form : key.forms) {
    if (form.choice.empty()) continue;
    auto object = defaults(form.parameters);
    object.set(form.selector, form.choice);
    values.emplace_back(std::make_shared<Values const>(std::move(object)),
                        key.name + "." + form.selector + " is '" + form.choice + "'");
  }
  return values;
}

/// Joins conditions, the common words of neighbours once: "a or b is given".
std::string joined_conditions(std::vector<std::string> const& conditions) {
  std::string words;
  for (auto const& condition : conditions) {
    auto const verb = condition.find(" is ");
    auto const subject = condition.substr(0, verb), predicate = condition.substr(verb);
    if (words.empty()) {
      words = condition;
    } else if (words.ends_with(predicate)) {
      words.insert(words.size() - predicate.size(), " or " + subject);
    } else if (words.starts_with(subject + " is ")) {
      words += " or" + predicate.substr(3);
    } else {
      words += " or " + condition;
    }
  }
  return words;
}

}  // namespace

std::string rule_in_physical_units(Parameter const& parameter,
                                   std::vector<Parameter> const& siblings) {
  if (!parameter.natural) return {};
  std::vector<std::string> conditions;
  for (auto const& sibling : siblings) {
    if (parameter.is_implied == nullptr || sibling.name == parameter.name) continue;
    for (auto const& [value, words] : candidates(sibling)) {
      Values values;
      values.set(sibling.name, value);
      if (parameter.is_implied(values)) conditions.push_back(words);
    }
  }
  return "required in physical units" +
         (conditions.empty() ? "" : " unless " + joined_conditions(conditions));
}

}  // namespace apsis::deck
