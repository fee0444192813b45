// SPDX-License-Identifier: Apache-2.0
#include "check_bodies.hpp"
#include "formats/text/columns.hpp"
#include "initial_conditions/orbit.hpp"
#include "planetary_files.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <cmath>

namespace apsis::formats {

namespace {

using initial_conditions::OrbitalState;

enum class Style { none, cartesian, asteroidal, cometary };

class MercuryReader {
 public:
  MercuryReader(std::string_view text, std::string const& source, double central_mass)
      : text_(text), source_(source), central_mass_(central_mass) {}

  BodiesFile read() {
    file_.units = Units::Si{constants::astronomical_unit, constants::solar_mass, 86400.0};
    file_.has_fixed_units = true;
    std::string_view rest = text_;
    while (!rest.empty() && problems_.size() < max_problems_per_file) {
      auto const end = std::min(rest.find('\n'), rest.size());
      ++line_;
      read_line(trimmed(rest.substr(0, end)));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (problems_.empty()) {
      end_body();
      if (style_ == Style::none)
        report("no style", "there is no line 'style = Cartesian'", "add it");
    }
    if (!problems_.empty()) throw Error(ExitStatus::bad_input, std::move(problems_));
    check_epochs();
    list_unused();
    return std::move(file_);
  }

 private:
  void report(std::string what, std::string why, std::string advice) {
    problems_.push_back({source_ + ": line " + std::to_string(line_), std::move(what),
                         std::move(why), std::move(advice)});
  }

  void read_line(std::string_view line) {
    if (line_ == 1) return read_first(line);
    if (line.empty() || line.starts_with(')')) return;
    if (style_ == Style::none && line.find('=') == line.npos) {
      return report("no style above the bodies", "found " + printed_word(line),
                    "write ' style (Cartesian, Asteroidal, Cometary) = Cartesian'");
    }
    auto const small = lower_case(line);
    if (small.starts_with("style")) return read_style(line);
    if (small.starts_with("epoch")) return read_epoch(line);
    // Bodies have nine numbers after the line with the name: the state or elements, and the spin.
    if (has_body_ && numbers_.size() < 9) return read_numbers(line);
    end_body();
    begin_body(line);
  }

  void read_first(std::string_view line) {
    bool const is_big = line.find("Big-body") != line.npos;
    bool const is_small = line.find("Small-body") != line.npos;
    if (!is_big && !is_small) {
      return report("not a file of mercury6", "found " + printed_word(line),
                    "begin it with ')O+_06 Big-body initial data' or Small-body");
    }
    is_small_ = is_small;
    if (is_big) add_body("central", central_mass_, {});
  }

  static std::string_view after_equals(std::string_view line) {
    return trimmed(line.substr(std::min(line.rfind('=') + 1, line.size())));
  }

  void read_style(std::string_view line) {
    auto const word = lower_case(after_equals(line));
    style_ = word.starts_with("car")   ? Style::cartesian
             : word.starts_with("ast") ? Style::asteroidal
             : word.starts_with("com") ? Style::cometary
                                       : Style::none;
    if (style_ == Style::none) {
      report("unknown style", "found " + printed_word(word),
             "write Cartesian, Asteroidal or Cometary");
    }
  }

  void read_epoch(std::string_view line) {
    double value = 0.0;
    if (read_number(after_equals(line), "epoch", value)) file_.epoch = value;
  }

  bool read_number(std::string_view word, std::string const& what, double& value) {
    if (parse(word, value) == Fault::none && std::isfinite(value)) return true;
    report(what + " is no number", "found " + printed_word(word), "write a decimal number");
    return false;
  }

  /// " NAME  m=1e-3 r=3.d0 d=1.1 ep=2450400.5"
  void begin_body(std::string_view line) {
    std::string text(line);
    std::replace(text.begin(), text.end(), '=', ' ');
    std::vector<std::string_view> words;
    split(text, false, words);
    has_body_ = true;
    name_ = printable(shortened(words.front(), 60));
    mass_ = 0.0;
    body_epoch_.reset();
    numbers_.clear();
    for (std::size_t k = 1; k < words.size(); k += 2) {
      auto const key = lower_case(words[k]);
      double value = 0.0;
      if (k + 1 == words.size()) {
        return report(printed_word(key, 20) + " without a value",
                      "a line with a name has pairs such as m=1e-3", "add the value");
      }
      if (!read_number(words[k + 1], key, value)) return;
      if (key == "m" && value < 0.0) {
        report("negative mass", "m is " + shortest(value), "correct the body");
      } else if (key == "m") {
        mass_ = value;
      } else if (key == "ep") {
        body_epoch_ = value;
      } else if ((key.starts_with('a') || key == "b") && value == 0.0) {
        continue;
      } else if (key == "r") {
        has_encounter_radii_ = true;
      } else if (key == "d") {
        has_densities_ = true;
      } else if (std::find(unused_keys_.begin(), unused_keys_.end(), key) == unused_keys_.end()) {
        unused_keys_.push_back(printable(shortened(key, 20)));
      }
    }
  }

  void read_numbers(std::string_view line) {
    std::vector<std::string_view> words;
    split(line, line.find(',') != line.npos, words);
    for (auto const word : words) {
      double value = 0.0;
      if (!read_number(word, "a value of '" + name_ + "'", value)) return;
      numbers_.push_back(value);
    }
    if (numbers_.size() > 9) {
      report("too many values for '" + name_ + "'",
             std::to_string(numbers_.size()) + " instead of 9",
             "write six of the orbit and three of the spin");
    }
  }

  void end_body() {
    if (!std::exchange(has_body_, false)) return;
    if (numbers_.size() != 9) {
      return report("too few values for '" + name_ + "'",
                    std::to_string(numbers_.size()) + " instead of 9 above this line",
                    "write six of the orbit and three of the spin");
    }
    if (body_epoch_ && (is_small_ || !file_.epoch)) {
      if (!first_epoch_) first_epoch_ = body_epoch_;
      has_other_epochs_ = has_other_epochs_ || *first_epoch_ != *body_epoch_;
    }
    has_spins_ = has_spins_ || std::any_of(numbers_.begin() + 6, numbers_.end(),
                                           [](double spin) { return spin != 0.0; });
    if (auto const state = state_of_body()) add_body(name_, mass_, *state);
  }

  /// State relative to the central body; nothing, and a problem, for wrong elements.
  std::optional<OrbitalState> state_of_body() {
    auto const& v = numbers_;
    if (style_ == Style::cartesian) return OrbitalState{{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
    double const e = v[1];
    bool const is_cometary = style_ == Style::cometary;
    double const pericentre = is_cometary ? v[0] : v[0] * (1.0 - e);
    if (!(e >= 0.0 && pericentre > 0.0)) {
      report(
          "invalid orbit of '" + name_ + "'",
          std::string(is_cometary ? "q" : "a") + " is " + shortest(v[0]) + " and e " + shortest(e),
          is_cometary ? "give q > 0 and e >= 0"
                      : "an ellipse has a > 0 and e < 1, a hyperbola a < 0 and e > 1");
      return std::nullopt;
    }
    // The constant of gravity in au, days and solar masses.
    auto const gravity = solar_G() * (central_mass_ + mass_);
    initial_conditions::Conic const conic{pericentre, e, v[2], v[4], v[3]};
    if (!is_cometary) return state_at_mean_anomaly(conic, v[5], gravity);
    auto const epoch = body_epoch_ ? body_epoch_ : file_.epoch;
    return state_after_pericentre(conic, epoch.value_or(0.0) - v[5], gravity);
  }

  static double solar_G() {
    double const day = 86400.0, au = constants::astronomical_unit;
    return constants::solar_mass_parameter * day * day / (au * au * au);
  }

  void add_body(std::string const& name, double mass, OrbitalState const& state) {
    auto& bodies = file_.bodies;
    bodies.id.push_back(bodies.size());
    bodies.mass.push_back(mass);
    bodies.position.push_back(state.position);
    bodies.velocity.push_back(state.velocity);
    bodies.name.push_back(name);
  }

  void list_unused() {
    std::vector<std::string> kinds;
    if (has_encounter_radii_) kinds.emplace_back("close-encounter radii (r)");
    if (has_densities_) kinds.emplace_back("densities (d)");
    if (has_spins_) kinds.emplace_back("spins");
    if (!unused_keys_.empty()) kinds.push_back("values " + quoted_list(unused_keys_));
    if (kinds.empty()) return;
    std::string words = kinds.front();
    for (std::size_t i = 1; i < kinds.size(); ++i) {
      words += (i + 1 == kinds.size() ? " and " : ", ") + kinds[i];
    }
    bool const has_sizes = has_encounter_radii_ || has_densities_;
    file_.unused.push_back(words + " of the bodies" + (has_sizes ? ", which have no radius" : ""));
  }

  void check_epochs() {
    bool const contradict = file_.epoch && first_epoch_ && *file_.epoch != *first_epoch_;
    if (has_other_epochs_ || contradict) {
      throw Error(
          ExitStatus::bad_input,
          Problem{source_, "bodies at several epochs", "a run begins with all bodies at one time",
                  "move them to one epoch first, as mercury6 does before an integration"});
    }
    if (!file_.epoch) file_.epoch = first_epoch_;
  }

  std::string_view text_;
  std::string const& source_;
  double central_mass_;  ///< [Msun]
  BodiesFile file_;
  std::vector<Problem> problems_;
  std::size_t line_ = 0;
  bool is_small_ = false;
  Style style_ = Style::none;
  // The present body.
  bool has_body_ = false;
  std::string name_;
  double mass_ = 0.0;
  std::optional<double> body_epoch_;
  std::vector<double> numbers_;
  std::optional<double> first_epoch_;
  bool has_other_epochs_ = false;
  bool has_encounter_radii_ = false, has_densities_ = false, has_spins_ = false;
  std::vector<std::string> unused_keys_;
};

}  // namespace

BodiesFile read_mercury(std::string_view text, std::string const& source, double central_mass) {
  return MercuryReader(text, source, central_mass).read();
}

}  // namespace apsis::formats
