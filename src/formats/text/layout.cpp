// SPDX-License-Identifier: Apache-2.0
#include "layout.hpp"

#include "header.hpp"
#include <apsis/core/text.hpp>

#include <cmath>

namespace apsis::formats {

namespace {

using Fields = std::vector<std::string_view>;

constexpr std::size_t most_header_numbers = 3;
constexpr std::size_t fewest_row_columns = 5;    ///< x y vx vy mass
constexpr std::size_t petar_header_columns = 9;  ///< with position and velocity of the centre

/// Lines of a text without comments and blank lines.
class ContentLines {
 public:
  explicit ContentLines(std::string_view text) : text_(text) {}

  /// Comments before the lines so far, up to a maximum.
  std::vector<std::string_view> const& comments() const { return comments_; }

  /// Sets `fields` to those of the next line. Returns false at the end.
  bool next(Fields& fields) {
    while (!text_.empty()) {
      auto const end = std::min(text_.find('\n'), text_.size());
      auto line = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      auto const length = length_without_comment(line);
      constexpr std::size_t most_comments = 100;
      if (length < line.size() && comments_.size() < most_comments) {
        comments_.push_back(words_of_comment(line.substr(length)));
      }
      line = trimmed(line.substr(0, length));
      if (line.empty()) continue;
      split(line, has_comma(line), fields);
      return true;
    }
    return false;
  }

 private:
  std::string_view text_;
  std::vector<std::string_view> comments_{};
};

bool is_finite_field(std::string_view word) {
  double value = 0.0;
  return parse(unquoted(word), value) == Fault::none && std::isfinite(value);
}

bool are_finite_fields(Fields const& fields) {
  return std::all_of(fields.begin(), fields.end(), is_finite_field);
}

double header_number(std::string_view word) {
  double value = 0.0;
  parse(unquoted(word), value);
  return value;
}

/// The numbers above the rows, and the lines below them.
struct Beginning {
  Fields numbers{};  ///< of all header lines
  std::vector<std::size_t> line_sizes{};
  Fields first_row{};     ///< the first line below the header; empty at the end of the text
  std::size_t rows = 0;   ///< lines below the header in the text at hand, up to the next header
  bool is_named = false;  ///< whether a comment names the columns
  bool is_whole = false;  ///< whether `rows` is the number of all rows of the first state
};

/// Splits the text into the leading lines of one to three numbers, up to three in all, or one line
/// of nine, and the lines below.
Beginning read_beginning(std::string_view head, bool is_whole) {
  Beginning beginning;
  beginning.is_whole = is_whole;
  ContentLines lines(head);
  Fields fields;
  while (lines.next(fields)) {
    bool const is_first = beginning.numbers.empty();
    bool const is_short = beginning.numbers.size() + fields.size() <= most_header_numbers ||
                          (is_first && fields.size() == petar_header_columns);
    if (!is_short || !are_finite_fields(fields)) break;
    beginning.numbers.insert(beginning.numbers.end(), fields.begin(), fields.end());
    beginning.line_sizes.push_back(fields.size());
    fields.clear();
  }
  beginning.first_row = fields;
  if (fields.empty() || beginning.numbers.empty()) return beginning;
  beginning.rows = are_names(fields) ? 0 : 1;
  beginning.is_named =
      std::any_of(lines.comments().begin(), lines.comments().end(), [&](auto const comment) {
        return !roles_in_comment(comment).empty() ||
               !roles_among(comment, beginning.first_row.size()).empty();
      });
  while (lines.next(fields)) {
    bool const is_header =
        fields.size() == beginning.line_sizes.front() && are_finite_fields(fields);
    if (is_header) beginning.is_whole = true;
    if (is_header) break;
    ++beginning.rows;
  }
  return beginning;
}

bool is_colour(std::string_view word) {
  auto const value = word == "0" ? std::optional<std::uint64_t>(0) : count_in(word);
  return value && *value <= 255;
}

/// Rows of COS 126 (Princeton): x y vx vy mass, and the name of a picture or a colour.
bool is_planar_row(Fields const& row) {
  if (row.size() < fewest_row_columns) return false;
  if (!std::all_of(row.begin(), row.begin() + fewest_row_columns, is_finite_field)) return false;
  bool const has_picture = row.size() == 6 && !is_finite_field(row.back());
  bool const has_colour =
      row.size() == 8 && std::all_of(row.begin() + fewest_row_columns, row.end(), is_colour);
  return row.size() == fewest_row_columns || has_picture || has_colour;
}

/// Rows of FDPS's N-body sample: id mass x y z vx vy vz.
bool is_fdps_row(Fields const& row) {
  std::uint64_t id = 0;
  return row.size() == 8 && parse(row.front(), id) == Fault::none && are_finite_fields(row);
}

/// Whether the table can have so many rows, as far as the text at hand shows.
bool may_count(Beginning const& beginning, std::optional<std::uint64_t> count,
               bool has_text_below) {
  if (!count) return false;
  if (beginning.is_whole && !has_text_below) return *count == beginning.rows;
  return *count <= beginning.rows || !beginning.is_whole;
}

std::string joined_fields(Fields const& words) {
  std::string text;
  for (auto const word : words) text += (text.empty() ? "" : " ") + shortened(word, 24);
  return text;
}

std::string repeated(std::string_view words, std::size_t used, std::size_t columns) {
  std::string text(words);
  for (std::size_t i = used; i < columns; ++i) text += " -";
  return text;
}

TextLayout doubtful(std::string doubt) {
  TextLayout layout;
  layout.doubt = std::move(doubt);
  return layout;
}

class LayoutFinder {
 public:
  LayoutFinder(Beginning beginning, bool is_named)
      : beginning_(std::move(beginning)),
        row_(beginning_.first_row),
        numbers_(beginning_.numbers),
        is_row_(row_.size() >= fewest_row_columns),
        is_named_(is_named || beginning_.is_named || (!row_.empty() && are_names(row_))) {
    layout_.line_sizes = beginning_.line_sizes;
    layout_.row_columns = row_.size();
  }

  TextLayout find() {
    if (numbers_.empty() || row_.empty()) return {};
    if (auto layout = find_blocks()) return *layout;
    if (!is_row_) return {};
    if (numbers_.size() == petar_header_columns) return find_petar();
    if (numbers_.size() == 3) {
      return layout_.line_sizes.size() == 1 ? find_petar() : find_counted_in_space();
    }
    return numbers_.size() == 2 ? find_two() : find_one();
  }

 private:
  std::optional<TextLayout> find_blocks() {
    auto const count = numbers_.size() == 3 ? count_in(numbers_[0]) : std::nullopt;
    bool const has_dimension = count && (numbers_[1] == "2" || numbers_[1] == "3");
    if (!has_dimension || is_row_ || !are_finite_fields(row_)) return std::nullopt;
    layout_.kind = TextLayout::Kind::blocks;
    layout_.title = "masses, positions and velocities in blocks (Barnes' treecode, NEMO's atos)";
    layout_.counts = {*count};
    layout_.dimension = numbers_[1] == "2" ? 2 : 3;
    layout_.time = header_number(numbers_[2]);
    return layout_;
  }

  /// The count alone.
  TextLayout find_one() {
    auto const count = count_in(numbers_[0]);
    if (!count) return {};
    layout_.title = "a table below its number of rows";
    layout_.counts = {*count};
    layout_.count_place = 0;
    return checked_columns();
  }

  /// Time and N, or N and another number.
  TextLayout find_two() {
    auto const first = count_in(numbers_[0]), second = count_in(numbers_[1]);
    bool const is_cos126 = is_planar_row(row_) && may_count(beginning_, first, true);
    bool const is_fdps = is_fdps_row(row_) && may_count(beginning_, second, false);
    if (is_cos126 && is_fdps && !is_named_) {
      return doubtful("the first lines may be N and a radius (COS 126), or a time and N (FDPS)");
    }
    if (is_cos126 && !is_fdps) {
      layout_.kind = TextLayout::Kind::cos126;
      layout_.title = "a set of COS 126, in the plane z = 0";
      layout_.counts = {*first};
      layout_.columns = repeated("x y vx vy mass", fewest_row_columns, row_.size());
      layout_.unused.push_back("the radius of the universe, " + std::string(numbers_[1]));
      return layout_;
    }
    if (is_fdps) {
      layout_.kind = TextLayout::Kind::fdps;
      layout_.title = "FDPS";
      layout_.counts = {*second};
      layout_.count_place = 1;
      layout_.time = header_number(numbers_[0]);
      layout_.time_place = 0;
      layout_.columns = "id mass x y z vx vy vz";
      return layout_;
    }
    layout_.title = "a table below two numbers";
    if (first) layout_.counts.push_back(*first);
    if (second) layout_.counts.push_back(*second);
    if (layout_.counts.empty()) return {};
    if (!is_named_) return unclear_columns();
    if (layout_.counts.size() == 1) {
      layout_.count_place = first ? 0 : 1;
      layout_.unused.push_back("the number " + shortened(numbers_[first ? 1 : 0], 24) +
                               " above the rows");
    }
    return layout_;
  }

  /// N, the dimension and the time above rows.
  TextLayout find_counted_in_space() {
    auto const count = count_in(numbers_[0]);
    if (!count || numbers_[1] != "3") return {};
    layout_.title = "a table below N, the dimension and the time";
    layout_.counts = {*count};
    layout_.count_place = 0;
    layout_.dimension_place = 1;
    layout_.time = header_number(numbers_[2]);
    layout_.time_place = 2;
    return checked_columns();
  }

  TextLayout find_petar() {
    auto const count = count_in(numbers_[1]);
    bool const may_be_petar = may_count(beginning_, count, false);
    bool const may_be_space =
        numbers_[1] == "3" && may_count(beginning_, count_in(numbers_[0]), false);
    if (may_be_space && may_be_petar) {
      return doubtful("the first line may be N, 3 and a time, or a number, N and a time");
    }
    if (may_be_space) return find_counted_in_space();
    if (!count || row_.size() < text_columns.size() || row_.size() == petar_header_columns ||
        !are_finite_fields(row_)) {
      return {};
    }
    layout_.kind = TextLayout::Kind::petar;
    layout_.title = "PeTar";
    layout_.counts = {*count};
    layout_.count_place = 1;
    layout_.time = header_number(numbers_[2]);
    layout_.time_place = 2;
    layout_.columns = repeated("mass x y z vx vy vz", text_columns.size(), row_.size());
    if (numbers_.size() == petar_header_columns) {
      layout_.unused.push_back(
          "position and velocity of the centre of mass in the first line, " +
          joined_fields({numbers_.begin() + most_header_numbers, numbers_.end()}));
    }
    return layout_;
  }

  /// Without names, seven columns have the default order, and others are not known.
  TextLayout checked_columns() {
    return is_named_ || row_.size() == text_columns.size() ? layout_ : unclear_columns();
  }

  TextLayout unclear_columns() const {
    return doubtful("each row has " + std::to_string(row_.size()) + " fields below '" +
                    joined_fields(numbers_) + "', and nothing names them");
  }

  Beginning beginning_;
  Fields const& row_;
  Fields const& numbers_;
  bool is_row_, is_named_;
  TextLayout layout_;
};

}  // namespace

std::optional<std::uint64_t> count_in(std::string_view word) {
  bool const is_plain = word.find_first_not_of("0123456789") == std::string_view::npos;
  std::uint64_t value = 0;
  if (!is_plain || parse(word, value) != Fault::none || value == 0) return std::nullopt;
  return value;
}

TextLayout find_text_layout(std::string_view head, bool is_whole, bool is_named) {
  return LayoutFinder(read_beginning(head, is_whole), is_named).find();
}

}  // namespace apsis::formats
