// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "formats/check_bodies.hpp"
#include "header.hpp"
#include "layout.hpp"
#include <apsis/core/text.hpp>

#include <cmath>
#include <numeric>

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

  void begin(TextLayout const& layout) {
    layout_ = layout;
    counts_ = layout.counts;
    if (layout.time) has_chosen_ = is_chosen_ = times_.accepts(*layout.time);
  }

  /// Reads a line that belongs to the header of a further state. Returns false, and reads nothing,
  /// if it does not. `has_time_column`: the rows state the times.
  bool read_header(std::vector<std::string_view> const& fields, bool has_time_column) {
    bool const is_first_line = line_ == 0;
    if (!layout_.count_place || (is_first_line && rows_ == 0)) return false;
    if (!is_header(fields)) {
      if (is_first_line) return false;
      problems_
          .report("numbers of another state that are not understood",
                  "found " + quoted_word(fields.front()),
                  "write the same numbers as above the first state")
          .stop();
      return true;
    }
    for (auto const field : fields) words_.emplace_back(unquoted(field));
    if (++line_ == layout_.line_sizes.size()) begin_next(has_time_column);
    return true;
  }

  void add_row() { ++rows_; }

  std::uint64_t rows() const { return rows_; }
  /// Whether the present state is not the first one.
  bool is_further() const { return is_further_; }
  /// Whether the time of the present state is the one to read.
  bool is_chosen() const { return is_chosen_; }
  /// Reports a number of rows of the present state that its header does not say. `place`: the file,
  /// or the line of the next header.
  void check_count(std::string const& place) const {
    bool const is_right =
        counts_.empty() || std::find(counts_.begin(), counts_.end(), rows_) != counts_.end();
    if (is_right) return;
    problems_.report(place, "wrong number of rows",
                     std::to_string(rows_) + " rows are below a header that says " +
                         std::to_string(counts_.front()),
                     "check that the file is whole, or correct the header");
  }

 private:
  bool is_header(std::vector<std::string_view> const& fields) const {
    if (fields.size() != layout_.line_sizes[line_]) return false;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      auto const word = unquoted(fields[i]);
      auto const place = words_.size() + i;
      double value = 0.0;
      if (parse(word, value) != Fault::none || !std::isfinite(value)) return false;
      if (place == layout_.count_place && !count_in(word)) return false;
      if (place == layout_.dimension_place && word != std::to_string(layout_.dimension))
        return false;
    }
    return true;
  }

  void begin_next(bool has_time_column) {
    check_count(problems_.current_place());
    counts_ = {count_in(words_[*layout_.count_place]).value_or(0)};
    rows_ = 0;
    is_further_ = true;
    if (layout_.time_place) {
      double time = 0.0;
      parse(words_[*layout_.time_place], time);
      is_chosen_ = times_.accepts(time);
      if (is_chosen_ && has_chosen_) {
        problems_
            .report("another state at time " + shortest(time), "a file has one state at each time",
                    "remove one of the two")
            .stop();
      }
      has_chosen_ = has_chosen_ || is_chosen_;
    } else if (!has_time_column) {
      problems_
          .report("another state without a time", "the numbers above its rows are its count alone",
                  "write count, dimension and time ('" + std::to_string(counts_.front()) +
                      " 3 0.5') above each state, or give each a file of its own")
          .stop();
    }
    line_ = 0;
    words_.clear();
  }

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

/// Reader of a text in blocks: N, dimension d and time, then N masses, N d positions and N d
/// velocities; possibly several such states one after the other. Line breaks have no meaning. The
/// coordinate z of a plane is 0.
class TextBlocks {
 public:
  /// `size`: of the file [bytes], if it is known. Reports a count that does not fit in the file.
  TextBlocks(TextProblems& problems, BodiesFile& file, TextLayout const& layout, TimeChoice& times,
             std::optional<std::uint64_t> size)
      : problems_(problems),
        file_(file),
        times_(times),
        count_(layout.counts.front()),
        dimension_(layout.dimension) {
    // Each number takes at least a digit and a separator.
    bool const fits = !size || count_ <= *size / (2 * (1 + 2 * dimension_)) + 1;
    if (!fits) {
      problems_
          .report(problems_.source(), "too few numbers",
                  "the first line says " + std::to_string(count_) + " bodies, and the file has " +
                      std::to_string(*size) + " bytes",
                  "check that the file is whole")
          .stop();
      return;
    }
    check_memory(count_, 1.0, problems_.source());
    begin_state(*layout.time);
  }

  /// Reads the numbers of the next line below the header.
  void read(std::vector<std::string_view> const& fields) {
    for (auto const field : fields) {
      if (problems_.is_stopped()) return;
      double value = 0.0;
      if (parse(unquoted(field), value) == Fault::none && std::isfinite(value)) {
        add(value);
        continue;
      }
      problems_.report("not a finite number", "found " + quoted_word(field),
                       "write a decimal number");
    }
  }

  /// Reports missing numbers after the last line.
  void finish() {
    if (!problems_.empty()) return;
    if (place_ < state_size()) {
      problems_.report(
          problems_.source(), "too few numbers",
          std::to_string(state_size()) + " are needed for masses, positions and velocities of " +
              std::to_string(count_) + " bodies, and there are " + std::to_string(place_),
          "check that the file is whole");
      return;
    }
    auto const further = further_ + (further_ > 0 ? 0 : header_.size());
    if (further > 0 && further % count_ != 0) {
      problems_.report(problems_.source(), "too many numbers",
                       std::to_string(further) + " follow the velocities of " +
                           std::to_string(count_) + " bodies",
                       "check the count in the first line");
      return;
    }
    if (further > 0)
      file_.unused.push_back(std::to_string(further) + " numbers below the velocities");
    file_.bodies.id.resize(file_.bodies.size());
    std::iota(file_.bodies.id.begin(), file_.bodies.id.end(), std::uint64_t{0});
  }

 private:
  void begin_state(double time) {
    place_ = 0;
    bool const is_chosen = times_.accepts(time);
    is_stored_ = is_chosen && file_.bodies.size() == 0;
    if (is_chosen && !is_stored_) {
      problems_
          .report("another state at time " + shortest(time), "a file has one state at each time",
                  "remove one of the two")
          .stop();
    }
    header_.clear();
  }

  void add(double value) {
    if (place_ == state_size()) return add_header(value);
    if (place_ < count_ && value < 0.0) {
      problems_.report("negative mass", "body " + std::to_string(place_) + " of those in blocks",
                       "remove or correct the body");
    }
    if (is_stored_) store(value);
    ++place_;
  }

  void add_header(double value) {
    if (further_ > 0) {
      ++further_;
      return;
    }
    header_.push_back(value);
    if (header_.size() < header_numbers) return;
    bool const is_header =
        header_[0] == static_cast<double>(count_) && header_[1] == static_cast<double>(dimension_);
    if (is_header) return begin_state(header_[2]);
    further_ = header_numbers;
  }

  void store(double value) {
    auto& bodies = file_.bodies;
    if (place_ < count_) {
      bodies.mass.push_back(value);
      return;
    }
    auto const component = place_ - count_;
    auto const block = count_ * dimension_;
    auto& vectors = component < block ? bodies.position : bodies.velocity;
    auto const axis = static_cast<std::size_t>(component % dimension_);
    if (axis == 0) vectors.push_back({});
    auto& [x, y, z] = vectors.back();
    (axis == 0 ? x : axis == 1 ? y : z) = value;
  }

  static constexpr std::size_t header_numbers = 3;
  std::uint64_t state_size() const { return count_ * (1 + 2 * dimension_); }

  TextProblems& problems_;
  BodiesFile& file_;
  TimeChoice& times_;
  std::uint64_t count_;
  std::size_t dimension_;
  std::uint64_t place_ = 0;       ///< number of values of the present state so far
  bool is_stored_ = false;        ///< whether the present state is the chosen one
  std::vector<double> header_{};  ///< numbers after a state, which may begin another
  std::uint64_t further_ = 0;     ///< numbers after the states that begin no other
};

}  // namespace apsis::formats
