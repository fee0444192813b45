// SPDX-License-Identifier: Apache-2.0
#include "text_names.hpp"
#include "text_numbers.hpp"
#include "units_text.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/text.hpp>
#include <apsis/io/check_bodies.hpp>
#include <apsis/io/sniff.hpp>
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
      : source_(source), count_(count), are_given_(!columns.empty()) {
    for (std::size_t i = 0; i < text_columns.size(); ++i) places_.push_back(i);
    if (!are_given_) return;
    places_ = given_places(columns);
    named_ = true;
    file_.has_ids = std::find(places_.begin(), places_.end(), id_place) != places_.end();
  }

  BodiesFile read(Input& input) {
    // No more than the text needs; a byte more than there should be finds the end.
    std::size_t const piece =
        std::min<std::uint64_t>(block_bytes, input.size().value_or(block_bytes) + 1);
    std::string buffer;
    std::size_t kept = 0;  // bytes of a line that goes on
    for (bool more = true; more && !done_;) {
      buffer.resize(kept + piece);
      auto const got = input.read(std::span(buffer).subspan(kept));
      more = got == piece;
      std::string_view text(buffer.data(), kept + got);
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
          problem(here(), "longer than a line can be",
                  "more than " + std::to_string(longest_line) + " bytes",
                  "check that it is a table of bodies as text");
          done_ = true;
          break;
        }
        if (auto const nul = text.substr(0, end).find('\0'); nul != std::string_view::npos) {
          problem(source_, "binary file, of a kind that is not known",
                  "byte " + std::to_string(nul) + " of line " + std::to_string(line_) + " is NUL",
                  "write it as a table of text, a line a body: mass x y z vx vy vz");
          done_ = true;
          break;
        }
        read_whole_line(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
      }
      kept = std::copy(text.begin(), text.end(), buffer.begin()) - buffer.begin();
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

  std::string here() const { return source_ + ": line " + std::to_string(line_); }

  void problem(std::string where, std::string what, std::string why, std::string advice) {
    problems_.push_back({std::move(where), std::move(what), std::move(why), std::move(advice)});
    if (problems_.size() != most_problems_of_a_file) return;
    problems_.push_back({here(), "reading stopped here", "so many problems are enough at once",
                         "correct them and try again"});
    done_ = true;
  }

  void read_whole_line(std::string_view line) {
    auto const comment = std::min(line.find('#'), line.size());
    read_line(trimmed(line.substr(0, comment)));
    bool const above = !begun_ || only_header_;
    if (comment == line.size()) return;
    auto const words = trimmed(line.substr(comment + 1));
    if (above) {
      read_comment(words);
    } else if (lower_case(words.substr(0, units_mark.size())) == units_mark) {
      problem(here(), "units below the bodies", "found " + shown(words),
              "write that line above them");
    }
  }

  void read_line(std::string_view line) {
    if (line.empty()) return;
    bool const first = !begun_;
    if (first) commas_ = has_comma(line);
    begun_ = true;
    if (first && !commas_ && line.find(';') != std::string_view::npos) {
      problem(here(), "fields between ';'", "found " + shown(line),
              "put blanks or commas between them");
      done_ = true;
      return;
    }
    split(line, commas_, fields_);
    only_header_ = first && is_header();
    if (only_header_) {
      if (!are_given_) read_header();
    } else {
      if (first) expect_no_other_names();
      if (!done_) read_row();
    }
  }

  /// Rows without names are read as mass x y z vx vy vz. A comment that seems to name the columns,
  /// and in words that are not known, would be a file read as something else.
  void expect_no_other_names() {
    if (named_ || comments_.empty()) return;
    for (auto const& comment : comments_) {
      auto places = places_among(comment, fields_.size());
      if (places.empty()) continue;
      places_ = std::move(places);
      named_ = true;
      file_.has_ids = std::find(places_.begin(), places_.end(), id_place) != places_.end();
      file_.unused.push_back("the columns of other names in " + shown(comment));
      return;
    }
    for (auto const& comment : comments_) {
      auto const some = places_of_some(comment, fields_.size());
      if (some.empty()) continue;
      std::vector<bool> seen(no_place, false);
      for (auto const place : some) seen[place] = true;
      expect_all(seen, {}, "a comment");
      done_ = true;
      return;
    }
    if (!seem_to_name(comments_, fields_.size())) {
      auto const speaks = [](std::string const& comment) {
        auto const small = lower_case(comment);
        return small.find("mass") != std::string::npos || small.find("col") != std::string::npos;
      };
      if (std::any_of(comments_.begin(), comments_.end(), speaks)) {
        file_.unused.emplace_back(
            "what comments say of columns: they are taken as mass x y z vx vy vz");
      }
      return;
    }
    auto const said = std::find_if(comments_.begin(), comments_.end(), [&](auto const& comment) {
      return seem_to_name({comment}, fields_.size());
    });
    problem(source_ + ": above line " + std::to_string(line_),
            "names of columns that are not understood",
            "found " + shown(said != comments_.end() ? *said : comments_.front()),
            "write the names as one line of mass, x, y, z, vx, vy and vz, in the order of the "
            "columns, and any word for each of the others");
    done_ = true;
  }

  /// Refuses rows without names that may be `x y z vx vy vz mass`: the last value is never below
  /// zero, as masses are, and the first differs from body to body. Sampled velocities take both
  /// signs, and those of a planar system are zero.
  void expect_masses_first() {
    auto const& bodies = file_.bodies;
    if (named_ || bodies.size() < 2 || say_mass_first(comments_)) return;
    auto const& mass = bodies.mass;
    bool const alike =
        std::all_of(mass.begin(), mass.end(), [&](double m) { return m == mass[0]; });
    bool const last_is_mass = std::all_of(bodies.velocity.begin(), bodies.velocity.end(),
                                          [](Vec3<double> const& v) { return v.z >= 0.0; }) &&
                              std::any_of(bodies.velocity.begin(), bodies.velocity.end(),
                                          [](Vec3<double> const& v) { return v.z > 0.0; });
    // Bodies on a line beside the axes, with one velocity: places and velocities of neither order.
    auto const& x = bodies.position;
    auto const& v = bodies.velocity;
    bool nothing_varies = x[0] != Vec3<double>{} || v[0].x != 0.0 || v[0].y != 0.0;
    for (std::size_t i = 1; i < bodies.size() && nothing_varies; ++i) {
      nothing_varies = x[i] == x[0] && v[i].x == v[0].x && v[i].y == v[0].y;
    }
    if (alike || !last_is_mass || nothing_varies) return;
    problem(
        source_, "columns without names in an order that is not clear",
        "they may be mass x y z vx vy vz or x y z vx vy vz mass: neither the first nor the last "
        "is ever below zero",
        "name them in a first line '# mass x y z vx vy vz', in their order, or by bodies.columns "
        "(convert: --columns)");
  }

  /// A comment above the rows that has names of all columns and nothing else means what it says:
  /// rows in another order would otherwise be read as something else.
  void read_comment(std::string_view comment) {
    if (lower_case(comment.substr(0, units_mark.size())) == units_mark) {
      read_units(trimmed(comment.substr(units_mark.size())));
      return;
    }
    if (seems_to_say_units(comment)) {
      problem(here(), "units that are not understood", "found " + shown(comment),
              "write '# units: ' and one of " + quoted_list(unit_systems().names()));
      return;
    }
    look_for_units(comment);
    if (begun_ || are_given_) return;  // they are named
    auto places = places_in_comment(comment);
    if (places.empty()) {
      constexpr std::size_t most = 100;
      if (comments_.size() < most) comments_.emplace_back(comment);
      return;
    }
    places_ = std::move(places);
    file_.has_ids = places_.size() == no_place;
    named_ = true;
  }

  void look_for_units(std::string_view words) {
    if (unit_words_.empty() && has_unit_words(words)) {
      unit_words_ = "the units of line " + std::to_string(line_) + ", " + shown(words) +
                    " (a line '# units: length pc, mass Msun, velocity km/s', with yours, would "
                    "be)";
    }
  }

  /// "units astrophysical", "Units = solar": a name of units after the word, without the colon.
  static bool seems_to_say_units(std::string_view comment) {
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
      problem(here(), "units for the second time", "found " + shown(words),
              "keep one line of them");
      return;
    }
    if (read_units_text(words, file_)) return;
    problem(here(), "units that are not understood", "found " + shown(words),
            "write one of " + quoted_list(unit_systems().names()) +
                ", or 'length au, mass Msun, time yr' with yours, 'velocity km/s' for 'time'");
  }

  /// Names begin with a letter and are no numbers, as nan and inf are. The first column may have no
  /// name, as the index of pandas has none.
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
    std::vector<bool> seen(no_place, false);
    places_ = places_of(fields_);
    named_ = true;
    for (auto const field : fields_) look_for_units(field);
    for (std::size_t column = 0; column < fields_.size() && !done_; ++column) {
      auto const place = places_[column];
      auto const field = fields_[column];
      if (place == no_place) {
        if (others.size() < 20) others.push_back(field.empty() ? unnamed : shortened(field, 40));
      } else if (seen[place]) {
        problem(here(), "column " + shown(field) + " is there twice", "", "remove one of them");
      } else {
        seen[place] = true;
      }
    }
    expect_all(seen, others, "the first line");
    done_ = !problems_.empty();  // every line after it would be wrong for the same reason
    file_.has_ids = seen[id_place];
    if (!others.empty()) file_.unused.push_back("columns " + quoted_list(others));
  }

  void expect_all(std::vector<bool> const& seen, std::vector<std::string> const& others,
                  std::string const& by) {
    std::vector<std::string> missing;
    std::string meant;
    for (std::size_t i = 0; i < text_columns.size() && !done_; ++i) {
      if (seen[i]) continue;
      missing.emplace_back(text_columns[i]);
      auto const alike = std::find_if(others.begin(), others.end(), [&](std::string const& other) {
        return plain_word(other) == missing.back();
      });
      // Two letters are near to everything.
      auto const near = alike != others.end()       ? *alike
                        : missing.back().size() > 2 ? nearest(missing.back(), others)
                                                    : "";
      if (!near.empty()) {
        meant += (meant.empty() ? "'" : ", '") + missing.back() + "' by '" + near + "'";
      }
    }
    if (missing.empty()) return;
    bool const one = missing.size() == 1;
    problem(
        here(), (one ? "no column " : "no columns ") + quoted_list(missing),
        by + " names the columns" +
            (others.empty() ? "" : ", these besides: " + quoted_list(others)),
        (one ? "add it" : "name them so") + (meant.empty() ? "" : "; did you mean " + meant + "?"));
  }

  void read_row() {
    if (fields_.size() != places_.size()) {
      bool const named = are_given_ || places_.size() != text_columns.size();
      problem(here(), "wrong number of columns",
              std::to_string(fields_.size()) + " instead of " + std::to_string(places_.size()),
              are_given_ ? "give a name in bodies.columns for each, '-' for what is not read"
              : named    ? "write a value for every name of the first line"
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
    if (bodies.size() == bodies.mass.capacity()) make_room();
    bodies.mass.push_back(values[0]);
    bodies.position.push_back({values[1], values[2], values[3]});
    bodies.velocity.push_back({values[4], values[5], values[6]});
    bodies.id.push_back(id);
    if (file_.has_ids) lines_.push_back(line_);
  }

  /// For half as many bodies more, which are beside those there are for a moment.
  void make_room() {
    auto& bodies = file_.bodies;
    auto const room = std::max<std::size_t>(16, bodies.size() + bodies.size() / 2);
    check_room(bodies.size() + room, 1.0, source_);
    if (count_) count_(bodies.size());
    bodies.mass.reserve(room);
    bodies.position.reserve(room);
    bodies.velocity.reserve(room);
    bodies.id.reserve(room);
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
      return wrong(column, "negative mass",
                   named_ || file_.bodies.size() > 0
                       ? "remove or correct the body"
                       : "name the columns in the first line if they are not mass x y z vx vy vz");
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

  /// Columns as the caller names them.
  std::vector<std::size_t> given_places(std::string const& columns) const {
    std::string why;
    auto places = places_of_columns(columns, why);
    APSIS_VALIDATE(why.empty(), {source_, "columns that cannot be read", why,
                                 "name mass, x, y, z, vx, vy and vz once each, '-' for others"});
    return places;
  }

  std::string const& source_;
  CountCheck const& count_;
  BodiesFile file_;
  std::vector<Problem> problems_;
  std::vector<std::size_t> places_;       ///< of the columns
  std::vector<std::string_view> fields_;  ///< of the line
  std::vector<std::size_t> lines_;        ///< of the bodies, if they have ids
  std::size_t line_ = 0;
  /// Those above the rows that name nothing.
  std::vector<std::string> comments_;
  std::string unit_words_;
  bool named_ = false;  ///< the columns, by a comment, the first line or the caller
  bool are_given_;      ///< the names of columns, by the caller
  bool begun_ = false;
  bool only_header_ = false;  ///< no row has come yet
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
