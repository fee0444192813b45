// SPDX-License-Identifier: Apache-2.0
#include "text_names.hpp"

#include <apsis/core/text.hpp>
#include <apsis/core/units.hpp>

#include <algorithm>
#include <numeric>

namespace apsis::io {

namespace {

constexpr std::string_view gaps = " \t\v\f\r";
constexpr std::string_view quotes = "\"'";
constexpr std::string_view openings = "[(";
constexpr std::string_view closings = "])";

std::string_view stripped(std::string_view text, std::string_view of) {
  auto const first = text.find_first_not_of(of);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(of) - first + 1);
}

std::size_t place_of(std::string_view name) {
  if (name == id_column) return id_place;
  auto const known = std::find(text_columns.begin(), text_columns.end(), name);
  return known == text_columns.end() ? no_place
                                     : static_cast<std::size_t>(known - text_columns.begin());
}

/// `"x (au)"` is x.
std::string_view bare(std::string_view name) {
  name = stripped(name, quotes);
  auto const unit = name.find_first_of(openings);
  return stripped(unit > 0 ? name.substr(0, unit) : name, gaps);
}

/// Text whose brackets are gone, with all that is in them.
std::string without_brackets(std::string_view text) {
  std::string rest;
  int depth = 0;
  for (char const c : text) {
    if (openings.find(c) != std::string_view::npos) ++depth;
    if (depth == 0) rest += c;
    if (closings.find(c) != std::string_view::npos && depth > 0) --depth;
  }
  return rest;
}

std::vector<std::string> words_of(std::string text, std::string_view between) {
  std::replace_if(
      text.begin(), text.end(), [&](char c) { return between.find(c) != std::string_view::npos; },
      ' ');
  std::vector<std::string_view> fields;
  split(text, false, fields);
  return {fields.begin(), fields.end()};
}

/// Three values at once: 0 mass, 1 position, 2 velocity; 3 if a word is none of these.
std::size_t group_of(std::string const& word) {
  constexpr std::array<std::array<std::string_view, 5>, 3> groups{
      {{"mass", "masses", "m", "weight", "weights"},
       {"position", "positions", "pos", "coordinates", "r"},
       {"velocity", "velocities", "vel", "velocitys", "v"}}};
  std::size_t group = 0;
  while (group < groups.size() &&
         std::find(groups[group].begin(), groups[group].end(), word) == groups[group].end()) {
    ++group;
  }
  return group;
}

bool is_unit(std::string const& word) {
  auto const slash = word.find('/');
  if (slash == std::string::npos) return word.size() > 1 && find_unit(word) != nullptr;
  return find_unit(word.substr(0, slash)) != nullptr &&
         find_unit(word.substr(slash + 1)) != nullptr;
}

}  // namespace

void split(std::string_view line, bool commas, std::vector<std::string_view>& fields) {
  fields.clear();
  while (true) {
    auto const end = line.find_first_of(commas ? "," : gaps);
    if (commas || end != 0) fields.push_back(stripped(line.substr(0, end), gaps));
    if (end == std::string_view::npos) return;
    line.remove_prefix(end + 1);
  }
}

bool has_comma(std::string_view line) {
  return line.find(',') != std::string_view::npos;
}

std::vector<std::size_t> places_of(std::vector<std::string_view> const& names) {
  std::vector<std::size_t> places;
  std::vector<bool> exact(no_place + 1, false);
  for (auto const name : names) {
    places.push_back(place_of(bare(name)));
    exact[places.back()] = true;
  }
  for (std::size_t column = 0; column < names.size(); ++column) {
    if (places[column] != no_place) continue;
    auto const small = lower_case(bare(names[column]));
    auto const place = place_of(small == "m" ? "mass" : small);
    if (!exact[place]) places[column] = place;
  }
  return places;
}

std::vector<std::size_t> places_in_comment(std::string_view comment) {
  auto const rest = without_brackets(comment);
  std::vector<std::string_view> fields;
  split(rest, has_comma(rest), fields);
  std::erase_if(fields, [](std::string_view field) { return field.empty(); });
  auto const places = places_of(fields);
  if (places.size() != id_place && places.size() != no_place) return {};
  std::vector<std::size_t> all(places.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  bool const names = std::is_permutation(all.begin(), all.end(), places.begin());
  return names ? places : std::vector<std::size_t>{};
}

bool seems_to_name(std::string_view comment, std::size_t columns) {
  auto const words = words_of(lower_case(without_brackets(comment)), ",;|");
  std::size_t known = 0;
  bool only_names = !words.empty();
  std::vector<std::size_t> groups;
  for (auto const& word : words) {
    bool const name = place_of(word == "m" ? "mass" : word) != no_place;
    auto const group = group_of(word);
    // One that a program made: pos_x, x1, 1:x, u.
    bool const made = word.find_first_of("_:.0123456789") != std::string::npos || word.size() <= 2;
    known += name ? 1 : 0;
    if (group < 3) groups.push_back(group);
    only_names = only_names && !is_unit(word) && (name || group < 3 || made);
  }
  bool const in_groups = words.size() < columns && groups.size() > 1;
  if (only_names && in_groups) return !std::is_sorted(groups.begin(), groups.end());
  return known >= 5 || (words.size() == columns && (known >= 3 || only_names));
}

bool has_unit_words(std::string_view text) {
  auto const words = words_of(std::string(text), ",;:|()[]\"'=");
  return std::any_of(words.begin(), words.end(), is_unit);
}

}  // namespace apsis::io
