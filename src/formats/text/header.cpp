// SPDX-License-Identifier: Apache-2.0
#include "header.hpp"

#include "formats/check_bodies.hpp"
#include "formats/units_text.hpp"
#include <apsis/core/text.hpp>

namespace apsis::formats {

namespace {

/// Whether a comment states units without a colon: "units astrophysical", "Units = solar".
bool seems_to_state_units(std::string_view comment) {
  auto const word = units_mark.substr(0, units_mark.size() - 1);
  if (comment.size() <= word.size()) return false;
  auto const small = lower_case(comment);
  if (!small.starts_with(word)) return false;
  auto rest = std::string_view(small).substr(word.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t="), rest.size()));
  return unit_systems().find(std::string(rest)) != nullptr;
}

bool begins_with_units_mark(std::string_view comment) {
  return lower_case(comment.substr(0, units_mark.size())) == units_mark;
}

bool mentions_columns(std::string const& comment) {
  auto const small = lower_case(comment);
  return small.find("mass") != std::string::npos || small.find("col") != std::string::npos;
}

}  // namespace

std::string quoted_word(std::string_view word) {
  return "'" + shortened(word, 40) + "'";
}

std::optional<std::string> TextProblems::place_in_line(std::string const& where) const {
  auto const line = current_place();
  bool const is_in_line =
      where.starts_with(line) && (where.size() == line.size() || where[line.size()] == ',');
  return is_in_line ? std::optional(where.substr(line.size())) : std::nullopt;
}

TextProblems& TextProblems::report(std::string where, std::string what, std::string why,
                                   std::string advice) {
  auto const place = place_in_line(where);
  auto const same = std::find_if(problems_.begin(), problems_.end(), [&](Repeated const& other) {
    auto const& [ignored, problem, reason, remedy] = other.problem;
    return place && other.place_in_line == place && problem == what && reason == why &&
           remedy == advice;
  });
  if (same != problems_.end()) {
    same->further_lines += same->last_line < line_ ? 1 : 0;
    same->last_line = line_;
    return *this;
  }
  problems_.push_back(
      {{std::move(where), std::move(what), std::move(why), std::move(advice)}, place, line_});
  if (problems_.size() != max_problems_per_file) return *this;
  problems_.push_back({{current_place(), "reading stopped here", "there are too many problems",
                        "correct them and try again"},
                       std::nullopt,
                       line_});
  stop();
  return *this;
}

void TextProblems::throw_if_any() {
  if (problems_.empty()) return;
  std::vector<Problem> problems;
  for (auto& [problem, place, last_line, further] : problems_) {
    if (further > 0) {
      problem.why += (problem.why.empty() ? "" : ", ") + std::string("and ") +
                     std::to_string(further) + " further line" + (further == 1 ? "" : "s");
    }
    problems.push_back(std::move(problem));
  }
  throw Error(ExitStatus::bad_input, std::move(problems));
}

TextHeader::TextHeader(TextProblems& problems, BodiesFile& file, std::string const& columns)
    : problems_(problems), file_(file), named_by_caller_(!columns.empty()) {
  for (std::size_t i = 0; i < text_columns.size(); ++i) roles_.push_back(i);
  if (!named_by_caller_) return;
  std::string why;
  roles_ = roles_of_columns(columns, why);
  APSIS_VALIDATE(why.empty(), {problems.source(), "columns that cannot be read", why,
                               "name mass, x, y, z, vx, vy and vz once each, '-' for others"});
  named_ = true;
  note_names({});
  file_.has_ids = has_role(id_role);
}

void TextHeader::use_comment(std::string_view comment, std::vector<std::size_t> roles) {
  roles_ = std::move(roles);
  named_ = true;
  file_.has_ids = has_role(id_role);
  auto const names = names_in_comment(comment);
  note_names({names.begin(), names.end()});
}

void TextHeader::note_names(std::vector<std::string_view> const& names) {
  file_.notes.clear();
  auto const words = names.empty() ? "" : spellings(names, roles_);
  if (!words.empty()) file_.notes.push_back("columns are read as named: " + words);
  if (are_planar(roles_)) file_.notes.emplace_back("there are no columns z and vz: both are 0");
}

void TextHeader::set_layout_columns(std::string const& columns) {
  if (named_) return;
  std::string why;
  roles_ = roles_of_columns(columns, why);
  APSIS_EXPECT(why.empty(), "a layout has all columns of a body");
  named_ = true;
  file_.has_ids = has_role(id_role);
}

void TextHeader::check_comments_for_names(std::size_t columns) {
  if (named_ || comments_.empty()) return;
  for (auto const& comment : comments_) {
    auto roles = roles_among(comment, columns);
    if (roles.empty()) continue;
    use_comment(comment, std::move(roles));
    file_.unused.push_back("the columns of other names in " + quoted_word(comment));
    return;
  }
  for (auto const& comment : comments_) {
    auto const some = roles_of_some(comment, columns);
    if (some.empty()) continue;
    std::vector<bool> present(no_role, false);
    for (auto const role : some) present[role] = true;
    check_completeness(present, {}, "a comment");
    problems_.stop();
    return;
  }
  if (!seem_to_name(comments_, columns)) {
    if (std::any_of(comments_.begin(), comments_.end(), mentions_columns)) {
      file_.unused.emplace_back("comments about the columns: they are read as mass x y z vx vy vz");
    }
    return;
  }
  auto const naming = std::find_if(comments_.begin(), comments_.end(), [&](auto const& comment) {
    return seem_to_name({comment}, columns);
  });
  problems_
      .report(problems_.source() + ": above line " + std::to_string(problems_.line()),
              "names of columns that are not understood",
              "found " + quoted_word(naming != comments_.end() ? *naming : comments_.front()),
              "write the names as one line of mass, x, y, z, vx, vy and vz, in the order of "
              "the columns, and any word for each of the others")
      .stop();
}

// Rows are ambiguous if the last value is never negative and the first differs between bodies. In
// the default order it is a velocity: sampled ones have both signs, planar systems have 0.
void TextHeader::expect_masses_first() {
  auto const& bodies = file_.bodies;
  if (named_ || bodies.size() < 2 || name_mass_first(comments_)) return;
  auto const& mass = bodies.mass;
  bool const equal_masses =
      std::all_of(mass.begin(), mass.end(), [&](double m) { return m == mass[0]; });
  bool const last_is_mass = std::all_of(bodies.velocity.begin(), bodies.velocity.end(),
                                        [](Vec3<double> const& v) { return v.z >= 0.0; }) &&
                            std::any_of(bodies.velocity.begin(), bodies.velocity.end(),
                                        [](Vec3<double> const& v) { return v.z > 0.0; });
  // Read with the masses first, all bodies would have the same position; with the masses last,
  // they would lie on a line beside the axes and have the same velocity. Both are implausible, so
  // such a table is not ambiguous.
  auto const& x = bodies.position;
  auto const& v = bodies.velocity;
  bool nothing_varies = x[0] != Vec3<double>{} || v[0].x != 0.0 || v[0].y != 0.0;
  for (std::size_t i = 1; i < bodies.size() && nothing_varies; ++i) {
    nothing_varies = x[i] == x[0] && v[i].x == v[0].x && v[i].y == v[0].y;
  }
  if (equal_masses || !last_is_mass || nothing_varies) return;
  problems_.report(problems_.source(), "columns without names in an order that is not clear",
                   "they may be mass x y z vx vy vz or x y z vx vy vz mass: neither the first nor "
                   "the last is ever below zero",
                   "name them in a first line '# mass x y z vx vy vz', in their order, or by "
                   "bodies.columns (convert: --columns)");
}

void TextHeader::read_comment(std::string_view comment, bool has_line_of_names) {
  if (begins_with_units_mark(comment)) {
    read_units(trimmed(comment.substr(units_mark.size())));
    return;
  }
  if (seems_to_state_units(comment)) {
    problems_.report("units that are not understood", "found " + quoted_word(comment),
                     "write '# units: ' and one of " + quoted_list(unit_systems().names()));
    return;
  }
  look_for_units(comment);
  if (has_line_of_names || named_by_caller_) return;
  auto roles = roles_in_comment(comment);
  if (roles.empty()) {
    constexpr std::size_t max_comments = 100;
    if (comments_.size() < max_comments) comments_.emplace_back(comment);
    return;
  }
  use_comment(comment, std::move(roles));
}

void TextHeader::check_late_comment(std::string_view comment) {
  if (!begins_with_units_mark(comment)) return;
  problems_.report("units below the bodies", "found " + quoted_word(comment),
                   "move that line above them");
}

void TextHeader::look_for_units(std::string_view words) {
  if (unit_words_.empty() && has_unit_words(words)) {
    unit_words_ = "the units of line " + std::to_string(problems_.line()) + ", " +
                  quoted_word(words) +
                  " (state them in a line such as '# units: length pc, mass Msun, velocity km/s')";
  }
}

void TextHeader::read_units(std::string_view words) {
  if (file_.units || !file_.unit_system.empty()) {
    problems_.report("units for the second time", "found " + quoted_word(words),
                     "keep one of the lines");
    return;
  }
  if (read_units_text(words, file_)) return;
  problems_.report(
      problems_.current_place(), "units that are not understood", "found " + quoted_word(words),
      "write one of " + quoted_list(unit_systems().names()) +
          ", or 'length au, mass Msun, time yr' with yours, 'velocity km/s' for 'time'");
}

void TextHeader::read_names(std::vector<std::string_view> const& names) {
  static std::string const unnamed = "(without a name)";
  std::vector<std::string> others;
  std::vector<bool> present(no_role, false);
  roles_ = roles_of(names);
  named_ = true;
  for (auto const name : names) look_for_units(name);
  for (std::size_t column = 0; column < names.size() && !problems_.is_stopped(); ++column) {
    auto const role = roles_[column];
    auto const name = names[column];
    if (role == no_role) {
      if (others.size() < 20) others.push_back(name.empty() ? unnamed : shortened(name, 40));
    } else if (present[role]) {
      problems_.report("duplicate column " + quoted_word(name), "", "remove one of them");
    } else {
      present[role] = true;
    }
  }
  check_completeness(present, others, "the first line");
  if (!problems_.empty()) problems_.stop();  // all further lines would be wrong for the same reason
  file_.has_ids = present[id_role];
  note_names(names);
  if (!others.empty()) file_.unused.push_back("columns " + quoted_list(others));
}

void TextHeader::check_completeness(std::vector<bool> const& present,
                                    std::vector<std::string> const& others,
                                    std::string const& origin) {
  std::vector<std::string> missing;
  std::string suggestions;
  bool const is_planar = std::count(present.begin(), present.begin() + id_role, false) == 2 &&
                         !present[z_role] && !present[vz_role];
  if (is_planar) return;
  for (std::size_t i = 0; i < text_columns.size() && !problems_.is_stopped(); ++i) {
    if (present[i]) continue;
    missing.emplace_back(text_columns[i]);
    auto const same_word = std::find_if(
        others.begin(), others.end(),
        [&](std::string const& other) { return normalized_word(other) == missing.back(); });
    // Names of one or two letters are similar to too many words.
    auto const near = same_word != others.end()   ? *same_word
                      : missing.back().size() > 2 ? nearest(missing.back(), others)
                                                  : "";
    if (!near.empty()) {
      suggestions += (suggestions.empty() ? "'" : ", '") + missing.back() + "' by '" + near + "'";
    }
  }
  if (missing.empty()) return;
  bool const one = missing.size() == 1;
  problems_.report(
      problems_.current_place(), (one ? "no column " : "no columns ") + quoted_list(missing),
      origin + " names the columns" + (others.empty() ? "" : ", also " + quoted_list(others)),
      (one ? "add it" : "use these names") +
          (suggestions.empty() ? "" : "; did you mean " + suggestions + "?"));
}

void TextHeader::finish() {
  if (!file_.units && file_.unit_system.empty() && !unit_words_.empty()) {
    file_.unused.push_back(unit_words_);
  }
}

bool are_names(std::vector<std::string_view> const& fields) {
  double ignored = 0.0;
  bool const index = fields.size() > 1 && fields.front().empty();
  auto word = fields[index ? 1 : 0];
  if (!word.empty() && (word[0] == '"' || word[0] == '\'')) word.remove_prefix(1);
  bool const letter = !word.empty() && ((word[0] >= 'a' && word[0] <= 'z') ||
                                        (word[0] >= 'A' && word[0] <= 'Z') || word[0] == '_');
  return letter && parse(word, ignored) == Fault::not_a_number;
}

}  // namespace apsis::formats
