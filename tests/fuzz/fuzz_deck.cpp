// SPDX-License-Identifier: Apache-2.0
#include "harness.hpp"
#include <apsis/deck/deck.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

using namespace apsis;

namespace {

Parameter masses() {
  std::vector<Form> forms{
      {"law", "equal", "", {}, true},
      {"law", "power", "", {number("slope", "").above(1.0).below(3.0).with_default(2.0)}}};
  return object("masses", std::move(forms), "").always_present();
}

/// A table with every kind of parameter, bound, form and nesting.
deck::DeckTable const& table() {
  static deck::DeckTable const table = [] {
    std::vector<Form> bodies{
        {"generator", "ring", "", {integer("count", "").at_least(0).needed(), masses()}},
        {"generator", "ball", "", {number("radius", "").above(0.0).with_default(2.0)}},
        {"list",
         "",
         "",
         {records("list",
                  {number("mass", "").at_least(0.0).needed(),
                   vector3("position", "").with_default(Vec3<double>{}), masses()},
                  "")
              .needed()}}};
    std::vector<Parameter> gravity{
        number("softening", "").at_least(0.0).at_most(1e3).with_default(0.5),
        choice("precision", {"single", "double"}, "").with_default(std::string("double")),
        boolean("fast", "").with_default(false)};
    std::vector<Parameter> extra{
        numbers("fractions", "").above(0.0).at_most(1.0), integer("seed", "").with_default(Value()),
        object("inner", std::vector<Parameter>{number("depth", ""), text("name", "")}, "")};
    return deck::DeckTable{{text("title", "").with_default(std::string())},
                           {object("bodies", std::move(bodies), "").needed(),
                            object("gravity", std::move(gravity), "").always_present(),
                            object("extra", std::move(extra), "")}};
  }();
  return table;
}

bool same(std::vector<Parameter> const& parameters, Values const& a, Values const& b);

bool same(Parameter const& parameter, Value const& a, Value const& b) {
  if (auto const* list = std::get_if<std::vector<Values>>(&a)) {
    auto const* other = std::get_if<std::vector<Values>>(&b);
    return other != nullptr && std::equal(list->begin(), list->end(), other->begin(), other->end(),
                                          [&](Values const& x, Values const& y) {
                                            return same(parameter.fields, x, y);
                                          });
  }
  if (auto const* object = std::get_if<std::shared_ptr<Values const>>(&a)) {
    auto const* other = std::get_if<std::shared_ptr<Values const>>(&b);
    return other != nullptr &&
           &form_of(parameter.forms, **object) == &form_of(parameter.forms, **other) &&
           same(form_of(parameter.forms, **object).parameters, **object, **other);
  }
  return std::visit(
      [&](auto const& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::vector<Values>>) {
          return false;  // handled above
        } else {
          return std::holds_alternative<T>(b) && std::get<T>(b) == value;
        }
      },
      a);
}

bool same(std::vector<Parameter> const& parameters, Values const& a, Values const& b) {
  for (auto const& parameter : parameters) {
    bool const present = a.has(parameter.name);
    if (present != b.has(parameter.name)) return false;
    if (present && !same(parameter, a.value(parameter.name), b.value(parameter.name))) return false;
  }
  return true;
}

bool same(deck::Deck const& a, deck::Deck const& b) {
  if (!same(table().top, a.top, b.top)) return false;
  for (auto const& section : table().sections) {
    if (a.has(section.name) != b.has(section.name)) return false;
    if (!a.has(section.name)) continue;
    auto const& values = a.sections.at(section.name);
    auto const& others = b.sections.at(section.name);
    Form const& form = form_of(section.forms, values);
    if (&form != &form_of(section.forms, others)) return false;
    if (!same(form.parameters, values, others)) return false;
  }
  return true;
}

}  // namespace

/// The input is a deck followed by `path=value` overrides, each after a zero byte. A deck without
/// problems is written, and the written deck must read back without problems to the same values.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] == 0) {
      parts.emplace_back();
    } else {
      parts.back() += static_cast<char>(data[i]);
    }
  }
  std::string const json = parts.front();
  parts.erase(parts.begin());
  fuzzing::accepted([&] {
    std::vector<Problem> problems;
    auto const deck = deck::read_deck(json, "deck", parts, table(), problems);
    for (auto const& problem : problems) {
      fuzzing::require(problem.text().find('\n') == std::string::npos, "a problem is one line");
    }
    if (!problems.empty()) return;
    auto const written = deck::write_deck(deck, table());
    auto const again = deck::read_deck(written, "deck", {}, table(), problems);
    fuzzing::require(problems.empty(), "a written deck can be read");
    fuzzing::require(same(deck, again), "a written deck reads back to the same values");
    fuzzing::require(deck::write_deck(again, table()) == written,
                     "writing a deck again gives the same text");
  });
  return 0;
}
