// SPDX-License-Identifier: Apache-2.0
#include "columns.hpp"

#include "formats/text_bodies.hpp"
#include <apsis/core/text.hpp>
#include <apsis/core/units.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace apsis::formats {

namespace {

constexpr std::string_view gaps = " \t\v\f\r";
constexpr std::string_view quotes = "\"'";
constexpr std::string_view openings = "[(";
constexpr std::string_view closings = "])";

std::size_t role_of(std::string_view name) {
  if (name == id_column) return id_role;
  if (name == radius_column) return radius_role;
  if (name == time_column) return time_role;
  auto const known = std::find(text_columns.begin(), text_columns.end(), name);
  return known == text_columns.end() ? no_role
                                     : static_cast<std::size_t>(known - text_columns.begin());
}

/// The name of a column without quotes and without a unit in brackets: x for `"x (au)"`.
std::string_view bare_name(std::string_view name) {
  while (!name.empty() && quotes.find(name.front()) != std::string_view::npos)
    name.remove_prefix(1);
  while (!name.empty() && quotes.find(name.back()) != std::string_view::npos) name.remove_suffix(1);
  auto const unit = name.find_first_of(openings);
  return trimmed(unit > 0 ? name.substr(0, unit) : name);
}

/// Role of a name in any of the spellings that roles_of() documents.
std::size_t role_of_spelling(std::string_view name) {
  auto word = lower_case(name);
  std::erase_if(word, [](char c) { return std::string_view("_-. ").find(c) != std::string::npos; });
  if (word == "m") return 0;
  if (word == "t") return time_role;
  auto const exact = role_of(word);
  if (exact != no_role || word.size() < 2) return exact;
  constexpr std::array<std::string_view, 4> positions{"pos", "position", "p", "r"};
  constexpr std::array<std::string_view, 3> velocities{"vel", "velocity", "v"};
  constexpr std::size_t x_role = 1, vx_role = 4;
  for (bool const is_axis_first : {true, false}) {
    char const axis = is_axis_first ? word.front() : word.back();
    if (axis < 'x' || axis > 'z') continue;
    auto const quantity = std::string_view(word).substr(is_axis_first ? 1 : 0, word.size() - 1);
    if (is_axis_first && quantity.size() == 1) continue;  // xp, xv
    auto const is_among = [&](auto const& words) {
      return std::find(words.begin(), words.end(), quantity) != words.end();
    };
    auto const component = static_cast<std::size_t>(axis - 'x');
    if (is_among(positions)) return x_role + component;
    if (is_among(velocities)) return vx_role + component;
  }
  return no_role;
}

/// The text without brackets and their content.
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

std::vector<std::string> words_of(std::string text, std::string_view separators) {
  std::replace_if(
      text.begin(), text.end(),
      [&](char c) { return separators.find(c) != std::string_view::npos; }, ' ');
  std::vector<std::string_view> fields;
  split(text, false, fields);
  std::erase_if(fields, [](std::string_view field) { return field.empty(); });
  return {fields.begin(), fields.end()};
}

/// Group of columns that a word names: 0 mass, 1 position, 2 velocity; 3 if none of these.
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

/// Whether a word is a unit in exact spelling, such as "pc" or "km/s", and not an English word.
bool is_unit(std::string const& word) {
  auto const unit = unit_in(word);
  return unit && unit->exact && word.size() > 1 && word != "day";
}

bool is_number(std::string const& word) {
  return word.find_first_not_of("+-.0123456789eEdD") == std::string::npos &&
         word.find_first_of("0123456789") != std::string::npos;
}

/// The columns of a body that are not among `roles`.
std::vector<std::size_t> missing_roles(std::vector<std::size_t> const& roles) {
  std::vector<std::size_t> missing;
  for (std::size_t role = 0; role < text_columns.size(); ++role) {
    if (std::find(roles.begin(), roles.end(), role) == roles.end()) missing.push_back(role);
  }
  return missing;
}

bool is_complete(std::vector<std::size_t> const& roles) {
  std::array<int, no_role + 1> uses{};
  for (auto const role : roles) ++uses[role];
  bool const is_unique =
      std::all_of(uses.begin(), uses.begin() + no_role, [](int count) { return count <= 1; });
  return is_unique && uses[no_role] == 0 && (missing_roles(roles).empty() || are_planar(roles));
}

struct ColumnNames {
  std::size_t words = 0;
  std::size_t known = 0;            ///< number of words that are names of columns
  bool only_names = false;          ///< whether all words look like names, known or unknown
  std::vector<std::size_t> groups;  ///< groups of columns, in their order
};

ColumnNames analyse_names(std::vector<std::string> const& words) {
  ColumnNames names{words.size(), 0, !words.empty(), {}};
  for (auto const& original : words) {
    auto const word = lower_case(original);
    bool const is_known = role_of_spelling(word) != no_role && word != "t" && word != "time";
    auto const group = group_of(word);
    // Names as programs generate them: pos_x, x1, 1:x, xvel, u.
    auto const has = [&](char const* part) { return word.find(part) != std::string::npos; };
    bool const is_generated = word.find_first_of("_:.-0123456789") != std::string::npos ||
                              word.size() <= 2 || has("pos") || has("vel");
    bool const is_name = (is_known || group < 3 || is_generated) && !is_number(word) && !has("=");
    names.known += is_known ? 1 : 0;
    if (group < 3) names.groups.push_back(group);
    names.only_names = names.only_names && is_name;
  }
  return names;
}

bool seems_to_name(ColumnNames const& names, std::size_t columns) {
  bool const in_groups = names.words < columns && names.groups.size() > 1;
  if (names.only_names && in_groups) {
    return !std::is_sorted(names.groups.begin(), names.groups.end());
  }
  return names.known >= 5 || (names.words == columns && (names.known >= 3 || names.only_names));
}

template <class Number>
Fault parse_plain(std::string_view word, Number& value) {
  auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  bool const whole = end == word.data() + word.size();
  if (!whole || error == std::errc::invalid_argument) return Fault::not_a_number;
  return error == std::errc() ? Fault::none : Fault::out_of_range;
}

/// The word without a plus sign, which from_chars() does not accept.
std::string_view without_plus(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  return word;
}

}  // namespace

std::string name_of_role(std::size_t role) {
  if (role == id_role) return std::string(id_column);
  if (role == radius_role) return std::string(radius_column);
  if (role == time_role) return std::string(time_column);
  return role == no_role ? "-" : std::string(text_columns[role]);
}

std::size_t length_without_comment(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '#') return i;
    bool const is_mark = line[i] == '%' || line.substr(i, 2) == "//";
    if (is_mark && (i == 0 || gaps.find(line[i - 1]) != std::string_view::npos)) return i;
  }
  return line.size();
}

std::string_view words_of_comment(std::string_view comment) {
  comment.remove_prefix(std::min(comment.find_first_not_of("#%/"), comment.size()));
  return trimmed(comment);
}

std::string_view unquoted(std::string_view field) {
  bool const is_quoted = field.size() > 1 && field.front() == field.back() &&
                         quotes.find(field.front()) != std::string_view::npos;
  return is_quoted ? trimmed(field.substr(1, field.size() - 2)) : field;
}

std::vector<std::string> names_in_comment(std::string_view comment) {
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

bool are_planar(std::vector<std::size_t> const& roles) {
  return missing_roles(roles) == std::vector<std::size_t>{z_role, vz_role};
}

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

std::vector<std::size_t> roles_of(std::vector<std::string_view> const& names) {
  std::vector<std::size_t> roles;
  std::vector<bool> exact(no_role + 1, false);
  for (auto const name : names) {
    roles.push_back(role_of(bare_name(name)));
    exact[roles.back()] = true;
  }
  for (std::size_t column = 0; column < names.size(); ++column) {
    if (roles[column] != no_role) continue;
    auto const role = role_of_spelling(bare_name(names[column]));
    if (!exact[role]) roles[column] = role;
  }
  return roles;
}

std::string spellings(std::vector<std::string_view> const& names,
                      std::vector<std::size_t> const& roles) {
  std::string words;
  for (std::size_t column = 0; column < names.size(); ++column) {
    auto const role = roles[column];
    auto small = lower_case(bare_name(names[column]));
    while (small.ends_with('_')) small.pop_back();  // of x_[pc]
    if (role == no_role || small == name_of_role(role) || small == "m") continue;
    words += (words.empty() ? "'" : ", '") + printable(shortened(names[column], 40)) + "' as " +
             name_of_role(role);
  }
  return words;
}

std::vector<std::size_t> roles_in_comment(std::string_view comment) {
  auto const words = names_in_comment(comment);
  auto roles = roles_of({words.begin(), words.end()});
  return is_complete(roles) ? roles : std::vector<std::size_t>{};
}

std::vector<std::size_t> roles_of_some(std::string_view comment, std::size_t columns) {
  auto const words = names_in_comment(comment);
  if (words.size() != columns) return {};
  auto roles = roles_of({words.begin(), words.end()});
  auto sorted = roles;
  std::sort(sorted.begin(), sorted.end());
  bool const good =
      sorted.back() != no_role && std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
  return good ? roles : std::vector<std::size_t>{};
}

std::vector<std::size_t> roles_of_columns(std::string const& columns, std::string& why) {
  std::vector<std::size_t> roles;
  std::vector<int> uses(no_role + 1, 0);
  for (auto const& original : words_of(columns, ",;|")) {
    auto const word = lower_case(original);
    auto const role = role_of_spelling(word);
    if (role == no_role && word != "-") why = "'" + shortened(word, 40) + "' is not a column";
    if (++uses[role] > 1 && role != no_role) why = "'" + word + "' is named twice";
    roles.push_back(role);
  }
  if (!why.empty() || are_planar(roles)) return roles;
  auto const missing = missing_roles(roles);
  if (!missing.empty()) why = "'" + name_of_role(missing.front()) + "' is missing";
  return roles;
}

std::string problem_of_columns(std::string const& columns) {
  std::string why;
  roles_of_columns(columns, why);
  return why;
}

std::vector<std::size_t> roles_among(std::string_view comment, std::size_t columns) {
  auto const words = names_in_comment(comment);
  if (words.size() != columns) return {};
  auto roles = roles_of({words.begin(), words.end()});
  auto known = roles;
  std::erase(known, no_role);
  return is_complete(known) ? roles : std::vector<std::size_t>{};
}

bool seem_to_name(std::vector<std::string> const& comments, std::size_t columns) {
  std::vector<std::string> together;  // names that are spread over several comments
  for (auto const& comment : comments) {
    auto const words = names_in_comment(comment);
    auto const names = analyse_names(words);
    if (seems_to_name(names, columns)) return true;
    if (names.only_names) together.insert(together.end(), words.begin(), words.end());
  }
  return seems_to_name(analyse_names(together), columns);
}

bool name_mass_first(std::vector<std::string> const& comments) {
  return std::any_of(comments.begin(), comments.end(), [](std::string const& comment) {
    auto const groups = analyse_names(names_in_comment(comment)).groups;
    return groups.size() > 1 && groups.front() == 0 && std::is_sorted(groups.begin(), groups.end());
  });
}

bool has_unit_words(std::string_view text) {
  auto const words = words_of(std::string(text), ",;:|()[]\"'=");
  return std::any_of(words.begin(), words.end(), is_unit);
}

Fault parse(std::string_view word, double& value) {
  word = without_plus(word);
  auto const fault = parse_plain(word, value);
  if (fault != Fault::not_a_number) return fault;
  // Fortran writes exponents of double precision numbers with a D.
  auto const letter = word.find_first_of("dD");
  std::array<char, 64> buffer{};
  if (letter == std::string_view::npos || word.size() > buffer.size()) return fault;
  std::copy(word.begin(), word.end(), buffer.begin());
  buffer[letter] = 'e';
  return parse_plain({buffer.data(), word.size()}, value);
}

Fault parse(std::string_view word, std::uint64_t& value) {
  auto const fault = parse_plain(without_plus(word), value);
  if (fault != Fault::not_a_number) return fault;
  double real = -1.0;
  bool const whole = parse(word, real) == Fault::none && real >= 0.0 && real <= 0x1p53 &&
                     real == std::floor(real);  // above 2^53 different ids have the same double
  if (!whole) return Fault::not_a_number;
  value = static_cast<std::uint64_t>(real);
  return Fault::none;
}

}  // namespace apsis::formats
