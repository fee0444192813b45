// SPDX-License-Identifier: Apache-2.0
#include "text_names.hpp"

#include <apsis/core/text.hpp>
#include <apsis/core/units.hpp>
#include <apsis/io/text_bodies.hpp>

#include <algorithm>
#include <numeric>

namespace apsis::io {

namespace {

constexpr std::string_view gaps = " \t\v\f\r";
constexpr std::string_view quotes = "\"'";
constexpr std::string_view openings = "[(";
constexpr std::string_view closings = "])";

std::size_t place_of(std::string_view name) {
  if (name == id_column) return id_place;
  auto const known = std::find(text_columns.begin(), text_columns.end(), name);
  return known == text_columns.end() ? no_place
                                     : static_cast<std::size_t>(known - text_columns.begin());
}

/// `"x (au)"` is x.
std::string_view bare(std::string_view name) {
  while (!name.empty() && quotes.find(name.front()) != std::string_view::npos)
    name.remove_prefix(1);
  while (!name.empty() && quotes.find(name.back()) != std::string_view::npos) name.remove_suffix(1);
  auto const unit = name.find_first_of(openings);
  return trimmed(unit > 0 ? name.substr(0, unit) : name);
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
  std::erase_if(fields, [](std::string_view field) { return field.empty(); });
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

/// As it is written, and no word of English: "pc", "km/s".
bool is_unit(std::string const& word) {
  auto const unit = unit_in(word);
  return unit && unit->exact && word.size() > 1 && word != "day";
}

bool is_number(std::string const& word) {
  return word.find_first_not_of("+-.0123456789eEdD") == std::string::npos &&
         word.find_first_of("0123456789") != std::string::npos;
}

/// A comment without what stands about its names: "Columns:", brackets about all, units and "in".
std::vector<std::string> names_of(std::string_view comment) {
  comment = trimmed(comment);
  bool const enclosed = comment.size() > 1 &&
                        openings.find(comment.front()) != std::string_view::npos &&
                        comment.find_first_of(closings) == comment.size() - 1;
  if (enclosed) comment = comment.substr(1, comment.size() - 2);
  auto const colon = comment.find(':');
  constexpr std::array<std::string_view, 6> labels{"columns", "cols",   "names",
                                                   "fields",  "format", "header"};
  auto const label = lower_case(trimmed(comment.substr(0, std::min(colon, comment.size()))));
  if (colon != std::string_view::npos &&
      std::find(labels.begin(), labels.end(), label) != labels.end()) {
    comment.remove_prefix(colon + 1);
  }
  auto words = words_of(without_brackets(comment), ",;|");
  std::erase_if(words, [](std::string const& word) {
    return is_unit(word) || word == "in" || word == "and";
  });
  return words;
}

bool are_all_places(std::vector<std::size_t> const& places) {
  if (places.size() != id_place && places.size() != no_place) return false;
  std::vector<std::size_t> all(places.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return std::is_permutation(all.begin(), all.end(), places.begin());
}

/// What a comment says of columns.
struct Named {
  std::size_t words = 0;
  std::size_t known = 0;            ///< that are names of columns
  bool only_names = false;          ///< all look like names, if not like these
  std::vector<std::size_t> groups;  ///< of three values, in their order
};

Named named_in(std::vector<std::string> const& words) {
  Named said{words.size(), 0, !words.empty(), {}};
  for (auto const& each : words) {
    auto const word = lower_case(each);
    bool const name = place_of(word == "m" ? "mass" : word) != no_place;
    auto const group = group_of(word);
    // One that a program made: pos_x, x1, 1:x, xvel, u.
    auto const has = [&](char const* part) { return word.find(part) != std::string::npos; };
    bool const made = word.find_first_of("_:.-0123456789") != std::string::npos ||
                      word.size() <= 2 || has("pos") || has("vel");
    bool const is_one = (name || group < 3 || made) && !is_number(word) && !has("=");
    said.known += name ? 1 : 0;
    if (group < 3) said.groups.push_back(group);
    said.only_names = said.only_names && is_one;
  }
  return said;
}

bool seems_to_name(Named const& said, std::size_t columns) {
  bool const in_groups = said.words < columns && said.groups.size() > 1;
  if (said.only_names && in_groups) return !std::is_sorted(said.groups.begin(), said.groups.end());
  return said.known >= 5 || (said.words == columns && (said.known >= 3 || said.only_names));
}

}  // namespace

void split(std::string_view line, bool commas, std::vector<std::string_view>& fields) {
  fields.clear();
  while (true) {
    auto const end = line.find_first_of(commas ? "," : gaps);
    if (commas || end != 0) fields.push_back(trimmed(line.substr(0, end)));
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
  auto const words = names_of(comment);
  auto places = places_of({words.begin(), words.end()});
  return are_all_places(places) ? places : std::vector<std::size_t>{};
}

std::vector<std::size_t> places_of_some(std::string_view comment, std::size_t columns) {
  auto const words = names_of(comment);
  if (words.size() != columns) return {};
  auto places = places_of({words.begin(), words.end()});
  auto sorted = places;
  std::sort(sorted.begin(), sorted.end());
  bool const good =
      sorted.back() != no_place && std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
  return good ? places : std::vector<std::size_t>{};
}

std::vector<std::size_t> places_of_columns(std::string const& columns, std::string& why) {
  std::vector<std::size_t> places;
  std::vector<int> given(no_place + 1, 0);
  for (auto const& given_word : words_of(columns, ",;|")) {
    auto const word = lower_case(given_word);
    auto const place = place_of(word == "m" ? "mass" : word);
    if (place == no_place && word != "-") why = "'" + shortened(word, 40) + "' is no column";
    if (++given[place] > 1 && place != no_place) why = "'" + word + "' is there twice";
    places.push_back(place);
  }
  for (std::size_t i = 0; i < text_columns.size() && why.empty(); ++i) {
    if (given[i] == 0) why = "'" + std::string(text_columns[i]) + "' is missing";
  }
  return places;
}

std::string problem_of_columns(std::string const& columns) {
  std::string why;
  places_of_columns(columns, why);
  return why;
}

std::vector<std::size_t> places_among(std::string_view comment, std::size_t columns) {
  auto const words = names_of(comment);
  if (words.size() != columns) return {};
  auto places = places_of({words.begin(), words.end()});
  auto known = places;
  std::erase(known, no_place);
  return are_all_places(known) ? places : std::vector<std::size_t>{};
}

bool seem_to_name(std::vector<std::string> const& comments, std::size_t columns) {
  std::vector<std::string> together;  // a name a line, or a vector
  for (auto const& comment : comments) {
    auto const words = names_of(comment);
    auto const said = named_in(words);
    if (seems_to_name(said, columns)) return true;
    if (said.only_names) together.insert(together.end(), words.begin(), words.end());
  }
  return seems_to_name(named_in(together), columns);
}

bool say_mass_first(std::vector<std::string> const& comments) {
  return std::any_of(comments.begin(), comments.end(), [](std::string const& comment) {
    auto const groups = named_in(names_of(comment)).groups;
    return groups.size() > 1 && groups.front() == 0 && std::is_sorted(groups.begin(), groups.end());
  });
}

bool has_unit_words(std::string_view text) {
  auto const words = words_of(std::string(text), ",;:|()[]\"'=");
  return std::any_of(words.begin(), words.end(), is_unit);
}

}  // namespace apsis::io
