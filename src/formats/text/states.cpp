// SPDX-License-Identifier: Apache-2.0
#include "states.hpp"

#include "columns.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <cmath>

namespace apsis::formats {

void TableStates::begin(TextLayout const& layout) {
  layout_ = layout;
  counts_ = layout.counts;
  if (layout.time) has_chosen_ = is_chosen_ = times_.accepts(*layout.time);
}

bool TableStates::is_header(std::vector<std::string_view> const& fields) const {
  if (fields.size() != layout_.line_sizes[line_]) return false;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    auto const word = unquoted(fields[i]);
    auto const place = words_.size() + i;
    double value = 0.0;
    if (parse(word, value) != Fault::none || !std::isfinite(value)) return false;
    if (place == layout_.count_place && !count_in(word)) return false;
    if (place == layout_.dimension_place && word != std::to_string(layout_.dimension)) return false;
  }
  return true;
}

bool TableStates::read_header(std::vector<std::string_view> const& fields, bool has_time_column) {
  bool const is_first_line = line_ == 0;
  if (!layout_.count_place || (is_first_line && rows_ == 0)) return false;
  if (!is_header(fields)) {
    if (is_first_line) return false;
    problems_.report(problems_.current_place(), "numbers of another state that are not understood",
                     "found " + quoted_word(fields.front()),
                     "write the same numbers as above the first state");
    problems_.stop();
    return true;
  }
  for (auto const field : fields) words_.emplace_back(unquoted(field));
  if (++line_ == layout_.line_sizes.size()) begin_next(has_time_column);
  return true;
}

void TableStates::begin_next(bool has_time_column) {
  check_count(problems_.current_place());
  counts_ = {count_in(words_[*layout_.count_place]).value_or(0)};
  rows_ = 0;
  is_further_ = true;
  if (layout_.time_place) {
    double time = 0.0;
    parse(words_[*layout_.time_place], time);
    is_chosen_ = times_.accepts(time);
    if (is_chosen_ && has_chosen_) {
      problems_.report(problems_.current_place(), "another state at time " + shortest(time),
                       "a file has one state at each time", "remove one of the two");
      problems_.stop();
    }
    has_chosen_ = has_chosen_ || is_chosen_;
  } else if (!has_time_column) {
    problems_.report(problems_.current_place(), "another state without a time",
                     "the numbers above its rows are its count alone",
                     "write count, dimension and time ('" + std::to_string(counts_.front()) +
                         " 3 0.5') above each state, or give each a file of its own");
    problems_.stop();
  }
  line_ = 0;
  words_.clear();
}

void TableStates::check_count(std::string const& place) const {
  bool const is_right =
      counts_.empty() || std::find(counts_.begin(), counts_.end(), rows_) != counts_.end();
  if (is_right) return;
  problems_.report(place, "wrong number of rows",
                   std::to_string(rows_) + " rows are below a header that says " +
                       std::to_string(counts_.front()),
                   "check that the file is whole, or correct the header");
}

}  // namespace apsis::formats
