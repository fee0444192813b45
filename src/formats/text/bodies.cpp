// SPDX-License-Identifier: Apache-2.0
#include "columns.hpp"
#include "formats/sniff.hpp"
#include "formats/text_bodies.hpp"
#include "formats/units_text.hpp"
#include "states.hpp"
#include <apsis/core/text.hpp>

#include <span>

namespace apsis::formats {

namespace {

/// Whether a comment states a time and nothing else: "t = 0.5", "time: 0.5 Myr".
bool states_time(std::string_view comment) {
  std::string spaced(comment);
  std::replace_if(
      spaced.begin(), spaced.end(), [](char c) { return c == '=' || c == ':'; }, ' ');
  std::vector<std::string_view> words;
  split(spaced, false, words);
  double time = 0.0;
  return (words.size() == 2 || words.size() == 3) &&
         (lower_case(words[0]) == "t" || lower_case(words[0]) == "time") &&
         parse(words[1], time) == Fault::none;
}

/// Reader of the rows of one file.
class Table {
 public:
  Table(std::string const& source, CountCheck const& count, TextReadOptions const& options)
      : count_(count),
        problems_(source),
        header_(problems_, file_, options.columns),
        times_(options.time),
        states_(problems_, times_) {}
  Table(Table const&) = delete;
  Table& operator=(Table const&) = delete;

  BodiesFile read(files::Input& input) {
    // No more than the text needs. Reading one byte more than the known size detects the end.
    std::size_t const piece =
        std::min<std::uint64_t>(block_bytes, input.size().value_or(block_bytes) + 1);
    std::string buffer;
    std::size_t carried = 0;  // bytes of an incomplete line at the end of the previous block
    for (bool more = true; more && !problems_.is_stopped();) {
      buffer.resize(carried + piece);
      auto const count = input.read(std::span(buffer).subspan(carried));
      more = count == piece;
      std::string_view text(buffer.data(), carried + count);
      if (problems_.line() == 0) {
        if (auto const kind = sniff(text)) {
          throw Error(ExitStatus::bad_input, wrong_kind(problems_.source(), *kind));
        }
        if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte order mark
        use_layout(find_text_layout(text, !more, header_.is_named_by_caller()), input.size());
      }
      while (!text.empty() && !problems_.is_stopped()) {
        auto const end = std::min(text.find('\n'), text.size());
        if (end == text.size() && more && end <= longest_line) break;
        problems_.begin_line();
        if (end > longest_line) {
          problems_
              .report("too long", "more than " + std::to_string(longest_line) + " bytes",
                      "check that it is a table of bodies as text")
              .stop();
          break;
        }
        if (auto const nul = text.substr(0, end).find('\0'); nul != std::string_view::npos) {
          problems_
              .report(problems_.source(), "binary file of an unknown kind",
                      "byte " + std::to_string(nul) + " of line " +
                          std::to_string(problems_.line()) + " is NUL",
                      "convert it to a text table, one line per body: mass x y z vx vy vz")
              .stop();
          break;
        }
        read_line_and_comment(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
      }
      carried = std::copy(text.begin(), text.end(), buffer.begin()) - buffer.begin();
    }
    if (blocks_) blocks_->finish();
    if (problems_.empty() && layout_.has_header() && !blocks_) {
      states_.check_count(problems_.source());
    }
    if (problems_.empty()) choose_time();
    if (problems_.empty() && !blocks_) header_.expect_masses_first();
    if (problems_.empty() && file_.has_ids) check_ids();
    header_.finish();
    problems_.throw_if_any();
    note_layout();
    return std::move(file_);
  }

 private:
  static constexpr std::size_t block_bytes = std::size_t{1} << 20, longest_line = 1 << 16;

  void use_layout(TextLayout layout, std::optional<std::uint64_t> size) {
    layout_ = std::move(layout);
    if (!layout_.doubt.empty()) {
      return problems_
          .report(problems_.source(), "a table that can be read in several ways", layout_.doubt,
                  "name the columns in bodies.columns (convert: --columns), for example 'mass x y "
                  "z vx vy "
                  "vz', or 'x y vx vy mass' in a plane, with '-' for each of the others")
          .stop();
    }
    header_lines_left_ = layout_.line_sizes.size();
    if (layout_.kind == TextLayout::Kind::blocks) {
      if (header_.is_named_by_caller()) {
        return problems_
            .report(problems_.source(), "has no columns", "it is read as " + layout_.title,
                    "leave bodies.columns out")
            .stop();
      }
      blocks_.emplace(problems_, file_, layout_, times_, size);
      return;
    }
    states_.begin(layout_);
    if (!layout_.columns.empty()) header_.set_layout_columns(layout_.columns);
  }

  void choose_time() {
    bool const has_column = header_.is_named() && header_.has_role(time_role);
    auto problem =
        times_.problem(problems_.source(),
                       has_column ? ", or leave that column out with '-' in bodies.columns" : "");
    if (problem) {
      problems_.report(problem->where, problem->problem, problem->why, problem->advice);
    }
    file_.time = times_.chosen().value_or(0.0);
    file_.has_time = times_.chosen().has_value();
  }

  void note_layout() {
    if (layout_.title.empty()) return;
    std::string words = "read as " + layout_.title;
    if (layout_.time) words += ", time " + shortest(file_.time);
    if (!blocks_) {
      std::string columns;
      for (auto const role : header_.roles()) columns += " " + name_of_role(role);
      words += ", columns" + columns;
    }
    file_.notes.insert(file_.notes.begin(), words);
    file_.unused.insert(file_.unused.begin(), layout_.unused.begin(), layout_.unused.end());
    if (has_text_below_) file_.unused.emplace_back("the text below the bodies");
  }

  /// Whether a line below all bodies of a set of COS 126 is text, and not another row.
  bool is_text_below() {
    if (layout_.kind != TextLayout::Kind::cos126 || states_.rows() < layout_.counts.front()) {
      return false;
    }
    double ignored = 0.0;
    has_text_below_ = has_text_below_ || fields_.size() != layout_.row_columns ||
                      parse(fields_.front(), ignored) != Fault::none;
    return has_text_below_;
  }

  void read_line_and_comment(std::string_view line) {
    auto const length = length_without_comment(line);
    read_line(trimmed(line.substr(0, length)));
    bool const above = !begun_ || only_names_;
    if (length == line.size()) return;
    auto const words = words_of_comment(line.substr(length));
    if (above) return header_.read_comment(words, begun_);
    header_.check_late_comment(words);
    bool const is_alone = trimmed(line.substr(0, length)).empty();
    auto const roles = roles_in_comment(words);
    if (states_.is_further() && states_.rows() == 0) return check_names(roles);
    if (is_alone && (states_time(words) || !roles.empty())) state_comment_ = std::string(words);
  }

  /// Reports names of columns above the rows of a further state, unless they are those of the first
  /// one. Empty `roles` are no names.
  void check_names(std::vector<std::size_t> const& roles) {
    if (roles.empty() || header_.is_named_by_caller() || roles == header_.roles()) return;
    problems_
        .report("other columns than those of the first state", "all states of a file have the same",
                "write the same names")
        .stop();
  }

  void read_line(std::string_view line) {
    if (line.empty()) return;
    if (header_lines_left_ > 0) {
      --header_lines_left_;
      return;
    }
    if (blocks_) {
      split(line, has_comma(line), fields_);
      return blocks_->read(fields_);
    }
    bool const first = !begun_;
    if (first) commas_ = has_comma(line);
    begun_ = true;
    if (first && !commas_ && line.find(';') != std::string_view::npos) {
      return problems_
          .report("fields between ';'", "found " + quoted_word(line),
                  "put blanks or commas between them")
          .stop();
    }
    split(line, commas_, fields_);
    if (is_text_below()) return;
    bool const has_time_column = header_.is_named() && header_.has_role(time_role);
    if (states_.read_header(fields_, has_time_column)) return state_comment_.reset();
    if (states_.is_further() && states_.rows() == 0 && are_names(fields_)) {
      return check_names(roles_of(fields_));
    }
    only_names_ = first && are_names(fields_);
    if (only_names_) {
      if (!header_.is_named_by_caller()) header_.read_names(fields_);
    } else {
      if (first) header_.check_comments_for_names(fields_.size());
      if (!problems_.is_stopped()) read_row();
    }
  }

  void read_row() {
    if (state_comment_) {
      return problems_
          .report("bodies of another state",
                  "the comment above says " + quoted_word(*state_comment_),
                  "give the table a column 'time', or each state a file of its own")
          .stop();
    }
    states_.add_row();
    auto const& roles = header_.roles();
    if (fields_.size() != roles.size()) {
      bool const named = header_.is_named_by_caller() || roles.size() != text_columns.size();
      problems_.report(
          problems_.current_place(), "wrong number of columns",
          std::to_string(fields_.size()) + " instead of " + std::to_string(roles.size()),
          header_.is_named_by_caller()
              ? "give a name in bodies.columns for each, '-' for what is not read"
          : layout_.has_header() ? "write as many as in the first row"
          : named                ? "write a value for every name of the first line"
                  : "write mass x y z vx vy vz, or name the columns in the first line");
      return;
    }
    std::array<double, text_columns.size()> values{};
    std::uint64_t id = file_.bodies.size();
    std::optional<double> radius;
    std::optional<double> time;
    bool good = true;
    for (std::size_t column = 0; column < fields_.size() && !problems_.is_stopped(); ++column) {
      auto const role = roles[column];
      if (role == no_role) continue;
      if (role == radius_role) radius = 0.0;
      if (role == time_role) time = 0.0;
      auto& value = role == radius_role ? *radius : role == time_role ? *time : values[role];
      good = (role == id_role ? read_id(column, id) : read_number(column, value)) && good;
    }
    if (!good || problems_.is_stopped()) return;
    if (!(time ? times_.accepts(*time) : states_.is_chosen())) return;
    auto& bodies = file_.bodies;
    if (bodies.size() == bodies.mass.capacity()) grow();
    bodies.mass.push_back(values[0]);
    bodies.position.push_back({values[1], values[2], values[3]});
    bodies.velocity.push_back({values[4], values[5], values[6]});
    bodies.id.push_back(id);
    if (radius) bodies.radius.push_back(*radius);
    if (file_.has_ids) lines_.push_back(problems_.line());
  }

  /// Reserves memory for half as many bodies more; old and new memory exist together then.
  void grow() {
    auto& bodies = file_.bodies;
    auto const capacity = std::max<std::size_t>(16, bodies.size() + bodies.size() / 2);
    check_memory(bodies.size() + capacity, 1.0, problems_.source());
    if (count_) count_(bodies.size());
    bodies.mass.reserve(capacity);
    bodies.position.reserve(capacity);
    bodies.velocity.reserve(capacity);
    bodies.id.reserve(capacity);
  }

  bool report_field(std::size_t column, std::string what, std::string advice) {
    auto const role = header_.roles()[column];
    problems_.report(problems_.current_place() + ", column " + std::to_string(column + 1) + " (" +
                         name_of_role(role) + ")",
                     std::move(what), "found " + quoted_word(fields_[column]), std::move(advice));
    return false;
  }

  bool read_number(std::size_t column, double& value) {
    switch (parse(unquoted(fields_[column]), value)) {
      case Fault::not_a_number:
        return report_field(column, "not a number",
                            header_.roles()[column] == time_role
                                ? "write a decimal number, or skip it with '-' in bodies.columns"
                                : "write a decimal number");
      case Fault::out_of_range:
        return report_field(column, "a number out of range", "write one that 64 bits can hold");
      case Fault::none:
        break;
    }
    if (!std::isfinite(value))
      return report_field(column, "not finite", "remove or correct the body");
    if (header_.roles()[column] == radius_role && value < 0.0) {
      return report_field(column, "negative radius", "remove or correct the body");
    }
    if (header_.roles()[column] == 0 && value < 0.0) {
      return report_field(
          column, "negative mass",
          header_.is_named() || file_.bodies.size() > 0
              ? "remove or correct the body"
              : "name the columns in the first line if they are not mass x y z vx vy vz");
    }
    return true;
  }

  bool read_id(std::size_t column, std::uint64_t& id) {
    if (parse(unquoted(fields_[column]), id) == Fault::none) return true;
    return report_field(column, "not an id", "write a whole number from 0 to 2^64 - 1");
  }

  void check_ids() {
    auto const duplicates = repeated_id(file_.bodies.id);
    if (!duplicates) return;
    auto const [first, second] = *duplicates;
    problems_.report(problems_.place(lines_[second]),
                     "id " + std::to_string(file_.bodies.id[second]) + " is given twice",
                     "line " + std::to_string(lines_[first]) + " has it too",
                     "give every body an id of its own");
  }

  CountCheck const& count_;
  BodiesFile file_;
  TextProblems problems_;
  TextHeader header_;
  TimeChoice times_;
  TableStates states_;
  TextLayout layout_;
  std::optional<TextBlocks> blocks_;   ///< instead of rows
  std::size_t header_lines_left_ = 0;  ///< lines of the layout's header that are to come
  bool has_text_below_ = false;
  std::vector<std::string_view> fields_;        ///< fields of the current line
  std::vector<std::size_t> lines_;              ///< line of each body, if they have ids
  bool begun_ = false;                          ///< whether a row or the line of names was read
  std::optional<std::string> state_comment_{};  ///< below a row: a time, or the names again
  bool only_names_ = false;                     ///< whether only the line of names was read
  bool commas_ = false;
};

}  // namespace

BodiesFile read_text_bodies(files::Input&& input, CountCheck const& count,
                            TextReadOptions const& options) {
  return Table(input.name(), count, options).read(input);
}

std::string write_text_bodies(BodiesFile const& file, TextOptions const& options,
                              std::vector<std::string>& lost) {
  auto const& bodies = file.bodies;
  char const separator = options.csv ? ',' : ' ';
  std::string text;
  if (options.ids) text += std::string(id_column) + separator;
  bool const has_radii = !bodies.radius.empty();
  for (auto const name : text_columns) {
    text += name;
    if (name != text_columns.back()) text += separator;
  }
  if (has_radii) text += separator + std::string(radius_column);
  text += '\n';
  if (!options.csv) text.insert(0, "# ");  // other codes do not read a line of names
  if (auto const units = units_text(file); !units.empty()) {
    text.insert(0, "# " + std::string(units_mark) + " " + units + "\n");
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    auto const [x, y, z] = bodies.position[i];
    auto const [vx, vy, vz] = bodies.velocity[i];
    if (options.ids) text += std::to_string(bodies.id[i]) + separator;
    text += shortest(bodies.mass[i]);
    for (double const value : {x, y, z, vx, vy, vz}) {
      text += separator;
      text += shortest(value);
    }
    if (has_radii) text += separator + shortest(bodies.radius[i]);
    text += '\n';
  }
  if (file.time != 0.0) lost.push_back("the time, " + shortest(file.time) + ", is left out");
  if (!bodies.species.empty()) lost.push_back("species are left out");
  if (!bodies.name.empty()) lost.push_back("names are left out");
  if (file.has_ids && !options.ids) lost.push_back("ids are left out");
  return text;
}

}  // namespace apsis::formats
