// SPDX-License-Identifier: Apache-2.0
#include "formats/check_bodies.hpp"
#include "formats/text/columns.hpp"
#include "planetary_files.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <cmath>

namespace apsis::formats {

namespace {

constexpr std::array<std::string_view, 6> state_labels{"X", "Y", "Z", "VX", "VY", "VZ"};

/// Value after "LABEL : value" or "LABEL: value".
std::string_view header_value(std::string_view line) {
  return trimmed(line.substr(std::min(line.find(':') + 1, line.size())));
}

/// Reads the number at the beginning of a text such as "42828.375214 +- 0.1" or "~6.4171".
std::optional<double> leading_number(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('~')) text.remove_prefix(1);
  auto const end = std::min(text.find_first_not_of("+-0123456789.eEdD"), text.size());
  // "5.97219+-0.0006": the number ends before the second sign that is not of an exponent.
  std::size_t stop = end;
  for (std::size_t i = 1; i < end; ++i) {
    bool const is_sign = text[i] == '+' || text[i] == '-';
    if (is_sign && std::string_view("eEdD").find(text[i - 1]) == std::string_view::npos) {
      stop = i;
      break;
    }
  }
  double value = 0.0;
  if (parse(text.substr(0, stop), value) != Fault::none || !std::isfinite(value)) return {};
  return value;
}

class HorizonsReader {
 public:
  HorizonsReader(std::string_view text, std::string const& source) : text_(text), source_(source) {}

  BodiesFile read() {
    std::string_view rest = text_;
    while (!rest.empty()) {
      auto const end = std::min(rest.find('\n'), rest.size());
      ++line_;
      read_line(trimmed(rest.substr(0, end)));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (in_table_) fail("the last table has no end", "there is no $$EOE", "complete the file");
    if (file_.bodies.size() == 0) {
      fail("holds no vector table", "there is no $$SOE", "ask Horizons for a table of vectors");
    }
    finish();
    return std::move(file_);
  }

 private:
  [[noreturn]] void fail(std::string what, std::string why, std::string advice) const {
    throw Error(ExitStatus::bad_input, Problem{source_ + ": line " + std::to_string(line_),
                                               std::move(what), std::move(why), std::move(advice)});
  }

  void read_line(std::string_view line) {
    if (line.starts_with("$$SOE")) return begin_table();
    if (line.starts_with("$$EOE")) return end_table();
    if (in_table_) return read_row(line);
    if (line.starts_with("Target body name")) name_ = name_in(header_value(line));
    if (line.starts_with("Center body name")) set_once(centre_, header_value(line), "centres");
    if (line.starts_with("Reference frame")) set_once(frame_, header_value(line), "frames");
    if (line.starts_with("Output units")) set_once(units_, header_value(line), "units");
    // The names of the columns of a table with commas.
    if (line.starts_with("JDTDB") || line.starts_with("JDCT")) read_columns(line);
    read_mass(line);
  }

  /// Keeps a value that all tables of a file must share.
  void set_once(std::string& value, std::string_view text, std::string const& kind) {
    // Without the source of the data: "Sun (10)     {source: DE441}".
    auto const words = std::string(trimmed(text.substr(0, text.find('{'))));
    if (value.empty()) value = words;
    if (value == words) return;
    fail("tables of several " + kind,
         "'" + shortened(value, 40) + "' and '" + shortened(words, 40) + "'",
         "ask Horizons for all bodies alike");
  }

  /// "Mars (499)" gives "Mars"; "1 Ceres (A801 AA)" gives "1 Ceres".
  static std::string name_in(std::string_view text) {
    text = trimmed(text.substr(0, text.find('{')));
    if (auto const bracket = text.rfind(" ("); text.ends_with(')') && bracket != text.npos) {
      text = trimmed(text.substr(0, bracket));
    }
    auto name = printable(shortened(text, 60));
    std::replace(name.begin(), name.end(), ',', ' ');
    std::erase(name, '"');
    return name;
  }

  /// GM in km^3/s^2, or a mass in 10^n kg or g. Lines have several labels: "GM= 62.6  RAD= 470".
  void read_mass(std::string_view line) {
    for (auto place = line.find("GM"); place != line.npos; place = line.find("GM", place + 2)) {
      auto const equals = line.find('=', place);
      if (equals == line.npos || gm_) break;
      auto const label = line.substr(place, equals - place);
      bool const begins_word = place == 0 || line[place - 1] == ' ';
      if (!begins_word || label.find("sigma") != label.npos) continue;
      if (auto const value = leading_number(line.substr(equals + 1)); value && *value >= 0.0) {
        gm_ = *value;
      }
    }
    auto const place = line.find("Mass");
    auto const power = line.find("10^", place);
    auto const equals = line.find('=', power);
    if (place == line.npos || power == line.npos || equals == line.npos || mass_) return;
    auto const label = line.substr(power, equals - power);
    auto const exponent = leading_number(label.substr(3));
    auto const value = leading_number(line.substr(equals + 1));
    bool const kilograms = label.find("kg") != label.npos;
    if (!exponent || !value || !(kilograms || label.find('g') != label.npos)) return;
    mass_ = *value * std::pow(10.0, *exponent) * (kilograms ? 1.0 : 1e-3);
  }

  void read_columns(std::string_view line) {
    columns_.clear();
    for (auto const& name : split_at_commas(line)) columns_.push_back(name);
  }

  void begin_table() {
    if (in_table_) fail("a table within a table", "there is no $$EOE before", "complete the file");
    in_table_ = true;
    rows_ = 0;
    row_.clear();
    begin_ = line_;
  }

  /// A row is a line with commas, or a line with the date and those with the state below it.
  void read_row(std::string_view line) {
    if (line.empty()) return;
    bool const has_date = line.find("A.D.") != line.npos || line.find("B.C.") != line.npos;
    if (has_date) ++rows_;
    if (rows_ == 0)
      fail("a row without a date", "found '" + shortened(line, 40) + "'",
           "copy the table as Horizons writes it");
    if (rows_ > 1) return;
    if (has_date && line.find(',') != line.npos) return read_values(line);
    if (has_date) {
      date_ = leading_number(line);
      return;
    }
    row_ += std::string(line) + " ";
  }

  /// A row with commas.
  void read_values(std::string_view line) {
    auto const fields = split_at_commas(line);
    date_ = leading_number(fields.front());
    std::array<double, 6> state{};
    for (std::size_t k = 0; k < 6; ++k) {
      auto const column = std::find(columns_.begin(), columns_.end(), state_labels[k]);
      auto const index = static_cast<std::size_t>(column - columns_.begin());
      if (column == columns_.end() || index >= fields.size()) missing(k);
      state[k] = number(fields[index], k);
    }
    add_body(state);
  }

  /// Rows with labels: "X = 1.0E+08 Y =-2.0E+08 ..."; without labels the first six numbers.
  void read_labelled() {
    std::replace(row_.begin(), row_.end(), '=', ' ');
    std::vector<std::string_view> words;
    split(trimmed(row_), false, words);
    std::array<double, 6> state{};
    bool const has_labels =
        std::find(words.begin(), words.end(), state_labels.front()) != words.end();
    for (std::size_t k = 0; k < 6; ++k) {
      auto word =
          has_labels
              ? std::find(words.begin(), words.end(), state_labels[k])
              : words.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(k, words.size()));
      if (has_labels && word != words.end()) ++word;
      if (word == words.end()) missing(k);
      state[k] = number(*word, k);
    }
    add_body(state);
  }

  [[noreturn]] void missing(std::size_t k) const {
    fail("a row without " + std::string(state_labels[k]), "positions and velocities are needed",
         "ask Horizons for vectors with the quantities 2 (state vector)");
  }

  double number(std::string_view word, std::size_t k) const {
    double value = 0.0;
    if (parse(word, value) == Fault::none && std::isfinite(value)) return value;
    fail(std::string(state_labels[k]) + " is no number", "found " + printed_word(word),
         "copy the table as Horizons writes it");
  }

  void end_table() {
    if (!in_table_) fail("$$EOE without $$SOE", "a table begins with $$SOE", "complete the file");
    in_table_ = false;
    if (rows_ == 0)
      fail("an empty table", "there is no row between $$SOE and $$EOE",
           "ask Horizons for one time");
    if (!row_.empty()) read_labelled();
    if (bodies_of_table_ != 1) missing(0);
    bodies_of_table_ = 0;
    if (!date_) fail("a row without a Julian date", "rows begin with it", "set it in Horizons");
    if (file_.epoch && *file_.epoch != *date_) {
      fail("tables of several times",
           "Julian dates " + shortest(*file_.epoch) + " and " + shortest(*date_),
           "ask Horizons for all bodies at one time");
    }
    file_.epoch = date_;
    if (rows_ > 1) {
      file_.unused.push_back("all rows but the first of the table in line " +
                             std::to_string(begin_));
    }
    name_.clear();
    gm_.reset();
    mass_.reset();
    date_.reset();
  }

  void add_body(std::array<double, 6> const& state) {
    auto& bodies = file_.bodies;
    ++bodies_of_table_;
    bodies.id.push_back(bodies.size());
    bodies.position.push_back({state[0], state[1], state[2]});
    bodies.velocity.push_back({state[3], state[4], state[5]});
    bodies.name.push_back(name_);
    constexpr double sun = constants::solar_mass_parameter * 1e-9;  // [km^3 / s^2]
    bodies.mass.push_back(gm_ ? *gm_ / sun : mass_ ? *mass_ / constants::solar_mass : 0.0);
    if (!gm_ && !mass_) massless_.push_back(name_);
  }

  void finish() {
    auto const& words = units_;
    bool const kilometres = words.starts_with("KM-S");
    if (!kilometres && !words.starts_with("AU-D")) {
      fail("unknown units",
           words.empty() ? "no line 'Output units' above the table"
                         : "Output units: '" + shortened(words, 40) + "'",
           "ask Horizons for KM-S or AU-D, and keep the text above the table");
    }
    file_.units = kilometres
                      ? Units::Si{1e3, constants::solar_mass, 1.0}
                      : Units::Si{constants::astronomical_unit, constants::solar_mass, 86400.0};
    file_.has_fixed_units = true;
    if (!massless_.empty()) {
      file_.unused.push_back("no mass of " + quoted_list(massless_) +
                             " in the text above the table: taken as massless");
    }
    auto const& names = file_.bodies.name;
    bool const is_barycentre = centre_.find("Barycenter") != centre_.npos;
    bool const has_centre = std::find(names.begin(), names.end(), name_in(centre_)) != names.end();
    if (!centre_.empty() && !is_barycentre && !has_centre) {
      file_.unused.push_back("states are relative to " + centre_ +
                             ", which is no body of this file");
    }
  }

  std::string_view text_;
  std::string const& source_;
  BodiesFile file_;
  std::size_t line_ = 0, begin_ = 0;
  bool in_table_ = false;
  std::size_t rows_ = 0;             ///< of the present table
  std::size_t bodies_of_table_ = 0;  ///< read from it
  std::string row_;                  ///< lines with the state in its first row
  std::string name_, centre_, frame_, units_;
  std::vector<std::string> columns_;
  std::optional<double> gm_;    ///< [km^3 / s^2]
  std::optional<double> mass_;  ///< [kg]
  std::optional<double> date_;
  std::vector<std::string> massless_;
};

}  // namespace

BodiesFile read_horizons(std::string_view text, std::string const& source) {
  return HorizonsReader(text, source).read();
}

}  // namespace apsis::formats
