// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "formats/time_choice.hpp"
#include "header.hpp"
#include "layout.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace apsis::formats {

/// The states of a table of rows. A layout with a count may repeat its header and rows:
///
///     2 3 0          N, the dimension and the time of the first state
///     0.5 1 2 3 ...
///     0.5 4 5 6 ...
///     2 3 0.25       those of the next state
///     0.5 1 2 3 ...
///
/// The header of the first state is read by find_text_layout().
class TableStates {
 public:
  TableStates(TextProblems& problems, TimeChoice& times) : problems_(problems), times_(times) {}

  /// Begins the first state, below the header of this layout.
  void begin(TextLayout const& layout);
  /// Reads a line that belongs to the header of a further state. Returns false, and reads nothing,
  /// if it does not. `has_time_column`: the rows state the times.
  bool read_header(std::vector<std::string_view> const& fields, bool has_time_column);
  void add_row() { ++rows_; }

  /// Number of rows of the present state so far.
  std::uint64_t rows() const { return rows_; }
  /// Whether the present state is not the first one.
  bool is_further() const { return is_further_; }
  /// Whether the time of the present state is the one to read.
  bool is_chosen() const { return is_chosen_; }
  /// Reports a number of rows of the present state that its header does not say. `place`: the file,
  /// or the line of the next header.
  void check_count(std::string const& place) const;

 private:
  bool is_header(std::vector<std::string_view> const& fields) const;
  void begin_next(bool has_time_column);

  TextProblems& problems_;
  TimeChoice& times_;
  TextLayout layout_;
  std::vector<std::uint64_t> counts_{};  ///< possible numbers of rows of the present state
  std::uint64_t rows_ = 0;
  bool is_further_ = false;
  bool is_chosen_ = true;
  bool has_chosen_ = false;           ///< whether a state was chosen so far
  std::size_t line_ = 0;              ///< lines of the next header so far
  std::vector<std::string> words_{};  ///< their numbers
};

}  // namespace apsis::formats
