// SPDX-License-Identifier: Apache-2.0
#include "text_columns.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>
#include <apsis/io/check_bodies.hpp>
#include <apsis/io/text_bodies.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <system_error>
#include <utility>

namespace apsis::io {

namespace {

constexpr std::string_view blanks = " \t\v\f\r";

std::string_view trimmed(std::string_view text) {
  auto const first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string shown(std::string_view word) {
  return "'" + shortened(word, 40) + "'";
}

void split(std::string_view line, bool commas, std::vector<std::string_view>& fields) {
  fields.clear();
  while (true) {
    auto const end = line.find_first_of(commas ? "," : blanks);
    if (commas || end != 0) fields.push_back(trimmed(line.substr(0, end)));
    if (end == std::string_view::npos) return;
    line.remove_prefix(end + 1);
  }
}

enum class Fault { none, not_a_number, out_of_range };

template <class Number>
Fault parse(std::string_view word, Number& value) {
  // from_chars knows no plus sign.
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  bool const whole = end == word.data() + word.size();
  if (!whole || error == std::errc::invalid_argument) return Fault::not_a_number;
  return error == std::errc() ? Fault::none : Fault::out_of_range;
}

/// Which value of a body a column holds.
constexpr std::size_t id_place = text_columns.size();
constexpr std::size_t no_place = id_place + 1;

std::vector<std::size_t> places_of(std::vector<std::string_view> const& names) {
  std::vector<std::size_t> places;
  for (auto const name : names) {
    auto const known = std::find(text_columns.begin(), text_columns.end(), name);
    auto const place = static_cast<std::size_t>(known - text_columns.begin());
    places.push_back(known == text_columns.end() && name != id_column ? no_place : place);
  }
  return places;
}

bool has_comma(std::string_view line) {
  return line.find(',') != std::string_view::npos;
}

class Table {
 public:
  explicit Table(std::string const& source) : source_(source) {
    for (std::size_t i = 0; i < text_columns.size(); ++i) places_.push_back(i);
  }

  BodiesFile read(std::string_view text) {
    if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);  // a byte order mark
    while (!text.empty() && !done_) {
      auto const end = std::min(text.find('\n'), text.size());
      ++line_;
      auto const line = text.substr(0, end);
      auto const comment = std::min(line.find('#'), end);
      read_line(trimmed(line.substr(0, comment)));
      if (!begun_ && comment < end) read_comment(trimmed(line.substr(comment + 1)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (problems_.empty() && file_.has_ids) check_ids();
    if (!problems_.empty()) throw Error(ExitStatus::bad_input, std::move(problems_));
    return std::move(file_);
  }

 private:
  std::string here() const { return source_ + ": line " + std::to_string(line_); }

  void problem(std::string where, std::string what, std::string why, std::string advice) {
    problems_.push_back({std::move(where), std::move(what), std::move(why), std::move(advice)});
    if (problems_.size() != most_problems_of_a_file) return;
    problems_.push_back({here(), "reading stopped here", "so many problems are enough at once",
                         "correct them and try again"});
    done_ = true;
  }

  void read_line(std::string_view line) {
    if (line.empty()) return;
    bool const first = !begun_;
    if (first) commas_ = has_comma(line);
    begun_ = true;
    split(line, commas_, fields_);
    if (first && is_header()) {
      read_header();
    } else {
      read_row();
    }
  }

  /// A comment above the rows that has names of all columns and nothing else means what it says:
  /// rows in another order would otherwise be read as something else.
  void read_comment(std::string_view comment) {
    split(comment, has_comma(comment), fields_);
    auto const places = places_of(fields_);
    bool const ids = places.size() == no_place;
    if (places.size() != id_place && !ids) return;
    std::vector<std::size_t> all(places.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (!std::is_permutation(all.begin(), all.end(), places.begin())) return;
    places_ = places;
    file_.has_ids = ids;
  }

  /// Names begin with a letter and are no numbers, as nan and inf are.
  bool is_header() const {
    double ignored = 0.0;
    auto const word = fields_.front();
    bool const letter = !word.empty() && ((word[0] >= 'a' && word[0] <= 'z') ||
                                          (word[0] >= 'A' && word[0] <= 'Z') || word[0] == '_');
    return letter && parse(word, ignored) == Fault::not_a_number;
  }

  void read_header() {
    std::vector<std::string> others;
    std::vector<bool> seen(no_place, false);
    places_ = places_of(fields_);
    for (std::size_t column = 0; column < fields_.size() && !done_; ++column) {
      auto const place = places_[column];
      auto const field = fields_[column];
      if (place == no_place) {
        if (others.size() < 20) others.push_back(shortened(field, 40));
      } else if (seen[place]) {
        problem(here(), "column " + shown(field) + " is there twice", "", "remove one of them");
      } else {
        seen[place] = true;
      }
    }
    for (std::size_t i = 0; i < text_columns.size() && !done_; ++i) {
      if (seen[i]) continue;
      std::string const name(text_columns[i]);
      auto const near = nearest(name, others);
      problem(here(), "no column '" + name + "'", "the first line names the columns",
              near.empty() ? "add it" : "did you mean it by '" + near + "'?");
    }
    done_ = !problems_.empty();  // every line after it would be wrong for the same reason
    file_.has_ids = seen[id_place];
    if (!others.empty()) file_.unused.push_back("columns " + quoted_list(others));
  }

  void read_row() {
    if (fields_.size() != places_.size()) {
      bool const named = places_.size() != text_columns.size();
      problem(here(), "wrong number of columns",
              std::to_string(fields_.size()) + " instead of " + std::to_string(places_.size()),
              named ? "write a value for every name of the first line"
                    : "write mass x y z vx vy vz, or name the columns in the first line");
      return;
    }
    std::array<double, text_columns.size()> values{};
    std::uint64_t id = file_.bodies.size();
    bool good = true;
    for (std::size_t column = 0; column < fields_.size() && !done_; ++column) {
      auto const place = places_[column];
      if (place == no_place) continue;
      good = (place == id_place ? read_id(column, id) : read_number(column, values[place])) && good;
    }
    if (!good || done_) return;
    auto& bodies = file_.bodies;
    bodies.mass.push_back(values[0]);
    bodies.position.push_back({values[1], values[2], values[3]});
    bodies.velocity.push_back({values[4], values[5], values[6]});
    bodies.id.push_back(id);
    if (file_.has_ids) lines_.push_back(line_);
  }

  bool wrong(std::size_t column, std::string what, std::string advice) {
    auto const place_in_file = places_[column];
    std::string const name(place_in_file == id_place ? id_column : text_columns[place_in_file]);
    problem(here() + ", column " + std::to_string(column + 1) + " (" + name + ")", std::move(what),
            "found " + shown(fields_[column]), std::move(advice));
    return false;
  }

  bool read_number(std::size_t column, double& value) {
    switch (parse(fields_[column], value)) {
      case Fault::not_a_number:
        return wrong(column, "not a number", "write a decimal number");
      case Fault::out_of_range:
        return wrong(column, "a number out of range", "write one that 64 bits can hold");
      case Fault::none:
        break;
    }
    if (!std::isfinite(value)) return wrong(column, "not finite", "remove or correct the body");
    if (places_[column] == 0 && value < 0.0) {
      return wrong(column, "negative mass", "remove or correct the body");
    }
    return true;
  }

  bool read_id(std::size_t column, std::uint64_t& id) {
    if (parse(fields_[column], id) == Fault::none) return true;
    return wrong(column, "not an id", "write a whole number from 0 to 2^64 - 1");
  }

  void check_ids() {
    auto const twins = repeated_id(file_.bodies.id);
    if (!twins) return;
    auto const [first, second] = *twins;
    problem(source_ + ": line " + std::to_string(lines_[second]),
            "id " + std::to_string(file_.bodies.id[second]) + " is given twice",
            "line " + std::to_string(lines_[first]) + " has it too",
            "give every body an id of its own");
  }

  std::string const& source_;
  BodiesFile file_;
  std::vector<Problem> problems_;
  std::vector<std::size_t> places_;       ///< of the columns
  std::vector<std::string_view> fields_;  ///< of the line
  std::vector<std::size_t> lines_;        ///< of the bodies, if they have ids
  std::size_t line_ = 0;
  bool begun_ = false;
  bool commas_ = false;
  bool done_ = false;
};

}  // namespace

BodiesFile read_text_bodies(std::string_view text, std::string const& source) {
  return Table(source).read(text);
}

}  // namespace apsis::io
