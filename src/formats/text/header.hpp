// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "columns.hpp"
#include <apsis/core/error.hpp>
#include <apsis/formats/bodies_file.hpp>

#include <algorithm>
#include <utility>

/// Reading of a text table of bodies.
namespace apsis::formats {

/// The current line of a text table and the problems of the lines so far. Problems that differ only
/// in their line are one, with the first place and the number of further lines. Reading stops when
/// there are max_problems_per_file of them.
class TextProblems {
 public:
  explicit TextProblems(std::string const& source) : source_(source) {}

  std::string const& source() const { return source_; }
  void begin_line() { ++line_; }
  /// Number of the current line, from 1; 0 before the first.
  std::size_t line() const { return line_; }
  /// Line of the file, as the place of a problem.
  std::string place(std::size_t line) const { return source_ + ": line " + std::to_string(line); }
  std::string current_place() const { return place(line_); }

  TextProblems& report(std::string where, std::string what, std::string why, std::string advice);
  /// Reports a problem of the current line.
  TextProblems& report(std::string what, std::string why, std::string advice) {
    return report(current_place(), std::move(what), std::move(why), std::move(advice));
  }
  /// Ends reading after this line.
  void stop() { is_stopped_ = true; }
  bool is_stopped() const { return is_stopped_; }
  bool empty() const { return problems_.empty(); }
  /// Throws a bad-input error with all problems, if there are any.
  void throw_if_any();

 private:
  std::string const& source_;
  /// A problem with its place in the line (", column 3 (y)"; nothing for another place), and the
  /// number of further lines that have it.
  struct Repeated {
    Problem problem;
    std::optional<std::string> place_in_line;
    std::size_t last_line = 0, further_lines = 0;
  };
  /// The place in the current line that `where` names.
  std::optional<std::string> place_in_line(std::string const& where) const;

  std::vector<Repeated> problems_;
  std::size_t line_ = 0;
  bool is_stopped_ = false;
};

/// A word of the file in an error message.
std::string quoted_word(std::string_view word);

/// The columns and units of a table, as the caller, comments above the rows, or names state them.
class TextHeader {
 public:
  /// Sets the units, `has_ids` and `unused` of the file. `columns`: names given by the caller, as
  /// in roles_of_columns(); empty if the file names its columns.
  TextHeader(TextProblems& problems, BodiesFile& file, std::string const& columns);

  std::vector<std::size_t> const& roles() const { return roles_; }
  /// Whether the caller, a comment or the first line names the columns.
  bool is_named() const { return named_; }
  bool is_named_by_caller() const { return named_by_caller_; }
  bool has_role(std::size_t role) const {
    return std::find(roles_.begin(), roles_.end(), role) != roles_.end();
  }

  /// Sets the columns of a layout. Names given by the caller or in the file override them.
  void set_layout_columns(std::string const& columns);

  /// Reads a comment above the rows. A comment that consists of the names of all columns defines
  /// their order, unless a line of names was read.
  void read_comment(std::string_view comment, bool has_line_of_names);
  /// Rejects a comment that states units below the first row.
  void check_late_comment(std::string_view comment);
  void read_names(std::vector<std::string_view> const& names);
  /// Called before the first of rows without names, which are read as mass x y z vx vy vz. Uses a
  /// comment that names the columns among others, and rejects a comment that seems to name them in
  /// unknown words, because the columns would be misinterpreted.
  void check_comments_for_names(std::size_t columns);
  /// Rejects rows without names that may be `x y z vx vy vz mass`.
  void expect_masses_first();
  /// Lists words about units that state none, after the last line.
  void finish();

 private:
  void use_comment(std::string_view comment, std::vector<std::size_t> roles);
  /// Notes other spellings of names, and bodies in a plane.
  void note_names(std::vector<std::string_view> const& names);
  void look_for_units(std::string_view words);
  void read_units(std::string_view words);
  /// Reports columns that are not present. `others`: unknown names; `origin`: their place.
  void check_completeness(std::vector<bool> const& present, std::vector<std::string> const& others,
                          std::string const& origin);

  TextProblems& problems_;
  BodiesFile& file_;
  std::vector<std::size_t> roles_;
  std::vector<std::string> comments_;  ///< above the rows, if they are not a list of all names
  std::string unit_words_;
  bool named_ = false;
  bool named_by_caller_;
};

/// Whether the fields of the first line are names: the first field begins with a letter and is not
/// a number such as nan. It may be empty, like the index of pandas; then the second decides.
bool are_names(std::vector<std::string_view> const& fields);

}  // namespace apsis::formats
