// SPDX-License-Identifier: Apache-2.0
#include "check_bodies.hpp"
#include "sniff.hpp"
#include "text_columns.hpp"
#include "units_text.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>
#include <apsis/io/text_bodies.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace apsis::io {

namespace {

std::string shown(std::string_view word) {
  return "'" + shortened(word, 40) + "'";
}

class Table {
 public:
  Table(std::string const& source, CountCheck const& count, std::string const& columns)
      : source_(source), count_(count), named_by_caller_(!columns.empty()) {
    for (std::size_t i = 0; i < text_columns.size(); ++i) roles_.push_back(i);
    if (!named_by_caller_) return;
    roles_ = roles_from_caller(columns);
    named_ = true;
    file_.has_ids = std::find(roles_.begin(), roles_.end(), id_role) != roles_.end();
  }

  BodiesFile read(Input& input) {
    // No more than the text needs. Reading one byte more than the known size detects the end.
    std::size_t const piece =
        std::min<std::uint64_t>(block_bytes, input.size().value_or(block_bytes) + 1);
    std::string buffer;
    std::size_t carried = 0;  // bytes of an incomplete line at the end of the previous block
    for (bool more = true; more && !done_;) {
      buffer.resize(carried + piece);
      auto const count = input.read(std::span(buffer).subspan(carried));
      more = count == piece;
      std::string_view text(buffer.data(), carried + count);
      if (line_ == 0) {
        if (auto const kind = sniff(text)) {
          throw Error(ExitStatus::bad_input, wrong_kind(source_, *kind));
        }
        if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte order mark
      }
      while (!text.empty() && !done_) {
        auto const end = std::min(text.find('\n'), text.size());
        if (end == text.size() && more && end <= longest_line) break;
        ++line_;
        if (end > longest_line) {
          report(current_line(), "too long", "more than " + std::to_string(longest_line) + " bytes",
                 "check that it is a table of bodies as text");
          done_ = true;
          break;
        }
        if (auto const nul = text.substr(0, end).find('\0'); nul != std::string_view::npos) {
          report(source_, "binary file of an unknown kind",
                 "byte " + std::to_string(nul) + " of line " + std::to_string(line_) + " is NUL",
                 "convert it to a text table, one line per body: mass x y z vx vy vz");
          done_ = true;
          break;
        }
        read_line_and_comment(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
      }
      carried = std::copy(text.begin(), text.end(), buffer.begin()) - buffer.begin();
    }
    if (problems_.empty()) expect_masses_first();
    if (problems_.empty() && file_.has_ids) check_ids();
    if (!file_.units && file_.unit_system.empty() && !unit_words_.empty()) {
      file_.unused.push_back(unit_words_);
    }
    if (!problems_.empty()) throw Error(ExitStatus::bad_input, std::move(problems_));
    return std::move(file_);
  }

 private:
  static constexpr std::size_t block_bytes = std::size_t{1} << 20, longest_line = 1 << 16;

  std::string current_line() const { return source_ + ": line " + std::to_string(line_); }

  void report(std::string where, std::string what, std::string why, std::string advice) {
    problems_.push_back({std::move(where), std::move(what), std::move(why), std::move(advice)});
    if (problems_.size() != max_problems_per_file) return;
    problems_.push_back({current_line(), "reading stopped here", "there are too many problems",
                         "correct them and try again"});
    done_ = true;
  }

  void read_line_and_comment(std::string_view line) {
    auto const comment = std::min(line.find('#'), line.size());
    read_line(trimmed(line.substr(0, comment)));
    bool const above = !begun_ || only_header_;
    if (comment == line.size()) return;
    auto const words = trimmed(line.substr(comment + 1));
    if (above) {
      read_comment(words);
    } else if (lower_case(words.substr(0, units_mark.size())) == units_mark) {
      report(current_line(), "units below the bodies", "found " + shown(words),
             "move that line above them");
    }
  }

  void read_line(std::string_view line) {
    if (line.empty()) return;
    bool const first = !begun_;
    if (first) commas_ = has_comma(line);
    begun_ = true;
    if (first && !commas_ && line.find(';') != std::string_view::npos) {
      report(current_line(), "fields between ';'", "found " + shown(line),
             "put blanks or commas between them");
      done_ = true;
      return;
    }
    split(line, commas_, fields_);
    only_header_ = first && is_header();
    if (only_header_) {
      if (!named_by_caller_) read_header();
    } else {
      if (first) check_comments_for_names();
      if (!done_) read_row();
    }
  }

  /// Rows without names are read as mass x y z vx vy vz. Uses a comment that names the columns
  /// among others, and rejects a comment that seems to name them in unknown words, because the
  /// columns would be misinterpreted.
  void check_comments_for_names() {
    if (named_ || comments_.empty()) return;
    for (auto const& comment : comments_) {
      auto roles = roles_among(comment, fields_.size());
      if (roles.empty()) continue;
      roles_ = std::move(roles);
      named_ = true;
      file_.has_ids = std::find(roles_.begin(), roles_.end(), id_role) != roles_.end();
      file_.unused.push_back("the columns of other names in " + shown(comment));
      return;
    }
    for (auto const& comment : comments_) {
      auto const some = roles_of_some(comment, fields_.size());
      if (some.empty()) continue;
      std::vector<bool> present(no_role, false);
      for (auto const role : some) present[role] = true;
      check_completeness(present, {}, "a comment");
      done_ = true;
      return;
    }
    if (!seem_to_name(comments_, fields_.size())) {
      auto const mentions_columns = [](std::string const& comment) {
        auto const small = lower_case(comment);
        return small.find("mass") != std::string::npos || small.find("col") != std::string::npos;
      };
      if (std::any_of(comments_.begin(), comments_.end(), mentions_columns)) {
        file_.unused.emplace_back(
            "comments about the columns: they are read as mass x y z vx vy vz");
      }
      return;
    }
    auto const naming = std::find_if(comments_.begin(), comments_.end(), [&](auto const& comment) {
      return seem_to_name({comment}, fields_.size());
    });
    report(source_ + ": above line " + std::to_string(line_),
           "names of columns that are not understood",
           "found " + shown(naming != comments_.end() ? *naming : comments_.front()),
           "write the names as one line of mass, x, y, z, vx, vy and vz, in the order of the "
           "columns, and any word for each of the others");
    done_ = true;
  }

  /// Rejects rows without names that may be `x y z vx vy vz mass`: the last value is never
  /// negative, and the first differs between bodies. In the other order the last value is a
  /// velocity: sampled velocities have both signs, and those of a planar system are zero.
  void expect_masses_first() {
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
    report(
        source_, "columns without names in an order that is not clear",
        "they may be mass x y z vx vy vz or x y z vx vy vz mass: neither the first nor the last "
        "is ever below zero",
        "name them in a first line '# mass x y z vx vy vz', in their order, or by bodies.columns "
        "(convert: --columns)");
  }

  /// Reads a comment above the rows. A comment that consists of the names of all columns defines
  /// their order; otherwise rows in another order would be misinterpreted.
  void read_comment(std::string_view comment) {
    if (lower_case(comment.substr(0, units_mark.size())) == units_mark) {
      read_units(trimmed(comment.substr(units_mark.size())));
      return;
    }
    if (seems_to_state_units(comment)) {
      report(current_line(), "units that are not understood", "found " + shown(comment),
             "write '# units: ' and one of " + quoted_list(unit_systems().names()));
      return;
    }
    look_for_units(comment);
    if (begun_ || named_by_caller_) return;  // the columns have names already
    auto roles = roles_in_comment(comment);
    if (roles.empty()) {
      constexpr std::size_t max_comments = 100;
      if (comments_.size() < max_comments) comments_.emplace_back(comment);
      return;
    }
    roles_ = std::move(roles);
    file_.has_ids = std::find(roles_.begin(), roles_.end(), id_role) != roles_.end();
    named_ = true;
  }

  void look_for_units(std::string_view words) {
    if (unit_words_.empty() && has_unit_words(words)) {
      unit_words_ = "the units of line " + std::to_string(line_) + ", " + shown(words) +
                    " (state them in a line such as '# units: length pc, mass Msun, velocity "
                    "km/s')";
    }
  }

  /// Whether a comment states units without a colon: "units astrophysical", "Units = solar".
  static bool seems_to_state_units(std::string_view comment) {
    auto const word = units_mark.substr(0, units_mark.size() - 1);
    if (comment.size() <= word.size()) return false;
    auto const small = lower_case(comment);
    if (!small.starts_with(word)) return false;
    auto rest = std::string_view(small).substr(word.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t="), rest.size()));
    return unit_systems().find(std::string(rest)) != nullptr;
  }

  void read_units(std::string_view words) {
    if (file_.units || !file_.unit_system.empty()) {
      report(current_line(), "units for the second time", "found " + shown(words),
             "keep one of the lines");
      return;
    }
    if (read_units_text(words, file_)) return;
    report(current_line(), "units that are not understood", "found " + shown(words),
           "write one of " + quoted_list(unit_systems().names()) +
               ", or 'length au, mass Msun, time yr' with yours, 'velocity km/s' for 'time'");
  }

  /// Whether the fields are names: the first one begins with a letter and is not a number such as
  /// nan or inf. It may be empty, like the index column of pandas; then the second field decides.
  bool is_header() const {
    double ignored = 0.0;
    bool const index = fields_.size() > 1 && fields_.front().empty();
    auto word = fields_[index ? 1 : 0];
    if (!word.empty() && (word[0] == '"' || word[0] == '\'')) word.remove_prefix(1);
    bool const letter = !word.empty() && ((word[0] >= 'a' && word[0] <= 'z') ||
                                          (word[0] >= 'A' && word[0] <= 'Z') || word[0] == '_');
    return letter && parse(word, ignored) == Fault::not_a_number;
  }

  void read_header() {
    static std::string const unnamed = "(without a name)";
    std::vector<std::string> others;
    std::vector<bool> present(no_role, false);
    roles_ = roles_of(fields_);
    named_ = true;
    for (auto const field : fields_) look_for_units(field);
    for (std::size_t column = 0; column < fields_.size() && !done_; ++column) {
      auto const role = roles_[column];
      auto const field = fields_[column];
      if (role == no_role) {
        if (others.size() < 20) others.push_back(field.empty() ? unnamed : shortened(field, 40));
      } else if (present[role]) {
        report(current_line(), "duplicate column " + shown(field), "", "remove one of them");
      } else {
        present[role] = true;
      }
    }
    check_completeness(present, others, "the first line");
    done_ = !problems_.empty();  // all further lines would be wrong for the same reason
    file_.has_ids = present[id_role];
    if (!others.empty()) file_.unused.push_back("columns " + quoted_list(others));
  }

  /// Reports columns that are not present. `others`: unknown names; `origin`: the place of the
  /// names.
  void check_completeness(std::vector<bool> const& present, std::vector<std::string> const& others,
                          std::string const& origin) {
    std::vector<std::string> missing;
    std::string suggestions;
    for (std::size_t i = 0; i < text_columns.size() && !done_; ++i) {
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
    report(current_line(), (one ? "no column " : "no columns ") + quoted_list(missing),
           origin + " names the columns" + (others.empty() ? "" : ", also " + quoted_list(others)),
           (one ? "add it" : "use these names") +
               (suggestions.empty() ? "" : "; did you mean " + suggestions + "?"));
  }

  void read_row() {
    if (fields_.size() != roles_.size()) {
      bool const named = named_by_caller_ || roles_.size() != text_columns.size();
      report(current_line(), "wrong number of columns",
             std::to_string(fields_.size()) + " instead of " + std::to_string(roles_.size()),
             named_by_caller_ ? "give a name in bodies.columns for each, '-' for what is not read"
             : named          ? "write a value for every name of the first line"
                              : "write mass x y z vx vy vz, or name the columns in the first line");
      return;
    }
    std::array<double, text_columns.size()> values{};
    std::uint64_t id = file_.bodies.size();
    std::optional<double> radius;
    bool good = true;
    for (std::size_t column = 0; column < fields_.size() && !done_; ++column) {
      auto const role = roles_[column];
      if (role == no_role) continue;
      if (role == radius_role) radius = 0.0;
      good = (role == id_role
                  ? read_id(column, id)
                  : read_number(column, radius && role == radius_role ? *radius : values[role])) &&
             good;
    }
    if (!good || done_) return;
    auto& bodies = file_.bodies;
    if (bodies.size() == bodies.mass.capacity()) grow();
    bodies.mass.push_back(values[0]);
    bodies.position.push_back({values[1], values[2], values[3]});
    bodies.velocity.push_back({values[4], values[5], values[6]});
    bodies.id.push_back(id);
    if (radius) bodies.radius.push_back(*radius);
    if (file_.has_ids) lines_.push_back(line_);
  }

  /// Reserves memory for half as many bodies more. During the reallocation, the old and the new
  /// memory exist together.
  void grow() {
    auto& bodies = file_.bodies;
    auto const capacity = std::max<std::size_t>(16, bodies.size() + bodies.size() / 2);
    check_memory(bodies.size() + capacity, 1.0, source_);
    if (count_) count_(bodies.size());
    bodies.mass.reserve(capacity);
    bodies.position.reserve(capacity);
    bodies.velocity.reserve(capacity);
    bodies.id.reserve(capacity);
  }

  bool report_field(std::size_t column, std::string what, std::string advice) {
    auto const role = roles_[column];
    std::string const name(role == id_role       ? id_column
                           : role == radius_role ? radius_column
                                                 : text_columns[role]);
    report(current_line() + ", column " + std::to_string(column + 1) + " (" + name + ")",
           std::move(what), "found " + shown(fields_[column]), std::move(advice));
    return false;
  }

  bool read_number(std::size_t column, double& value) {
    switch (parse(fields_[column], value)) {
      case Fault::not_a_number:
        return report_field(column, "not a number", "write a decimal number");
      case Fault::out_of_range:
        return report_field(column, "a number out of range", "write one that 64 bits can hold");
      case Fault::none:
        break;
    }
    if (!std::isfinite(value))
      return report_field(column, "not finite", "remove or correct the body");
    if (roles_[column] == radius_role && value < 0.0) {
      return report_field(column, "negative radius", "remove or correct the body");
    }
    if (roles_[column] == 0 && value < 0.0) {
      return report_field(
          column, "negative mass",
          named_ || file_.bodies.size() > 0
              ? "remove or correct the body"
              : "name the columns in the first line if they are not mass x y z vx vy vz");
    }
    return true;
  }

  bool read_id(std::size_t column, std::uint64_t& id) {
    if (parse(fields_[column], id) == Fault::none) return true;
    return report_field(column, "not an id", "write a whole number from 0 to 2^64 - 1");
  }

  void check_ids() {
    auto const duplicates = repeated_id(file_.bodies.id);
    if (!duplicates) return;
    auto const [first, second] = *duplicates;
    report(source_ + ": line " + std::to_string(lines_[second]),
           "id " + std::to_string(file_.bodies.id[second]) + " is given twice",
           "line " + std::to_string(lines_[first]) + " has it too",
           "give every body an id of its own");
  }

  /// Roles of the columns that the caller names.
  std::vector<std::size_t> roles_from_caller(std::string const& columns) const {
    std::string why;
    auto roles = roles_of_columns(columns, why);
    APSIS_VALIDATE(why.empty(), {source_, "columns that cannot be read", why,
                                 "name mass, x, y, z, vx, vy and vz once each, '-' for others"});
    return roles;
  }

  std::string const& source_;
  CountCheck const& count_;
  BodiesFile file_;
  std::vector<Problem> problems_;
  std::vector<std::size_t> roles_;        ///< role of each column
  std::vector<std::string_view> fields_;  ///< fields of the current line
  std::vector<std::size_t> lines_;        ///< line of each body, if they have ids
  std::size_t line_ = 0;
  /// Comments above the rows that are not a list of all names.
  std::vector<std::string> comments_;
  std::string unit_words_;
  bool named_ = false;  ///< whether a comment, the first line or the caller names the columns
  bool named_by_caller_;
  bool begun_ = false;
  bool only_header_ = false;  ///< whether only the line of names was read
  bool commas_ = false;
  bool done_ = false;
};

}  // namespace

BodiesFile read_text_bodies(Input& input, CountCheck const& count, std::string const& columns) {
  return Table(input.name(), count, columns).read(input);
}

BodiesFile read_text_bodies(std::string_view text, std::string const& source,
                            std::string const& columns) {
  Input input(text, source);
  return read_text_bodies(input, {}, columns);
}

}  // namespace apsis::io
