// SPDX-License-Identifier: Apache-2.0
#include "units_text.hpp"

#include <apsis/core/text.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace apsis::formats {

namespace {

/// Largest relative difference between units that a file states and units that replace them:
/// values of the solar mass and of the parsec in use differ by less.
constexpr double replaceable_difference = 0.01;

/// Units with six digits, for a note.
std::string short_si_text(Units::Si const& si) {
  return formatted("length %.6g m, mass %.6g kg, time %.6g s", si.length, si.mass, si.time);
}

bool are_replaceable(double stated, double replacement) {
  return std::abs(replacement / stated - 1.0) <= replaceable_difference;
}

/// Units that were parsed so far, in SI.
struct ParsedUnits {
  std::optional<double> length, mass, time, velocity;

  std::optional<double>& value(Dimension dimension) {
    return dimension == dimension::length ? length
           : dimension == dimension::mass ? mass
           : dimension == dimension::time ? time
                                          : velocity;
  }
};

/// Parses units in a text such as "length 3.1e16 m" or "au Msun yr". Returns false for other texts.
bool parse_units(std::string const& words, ParsedUnits& units) {
  std::istringstream in(words);
  std::optional<Dimension> named;
  double number = 0.0;  // number before a unit; 0 if there is none
  for (std::string word; in >> word;) {
    auto const small = lower_case(word);
    auto const quantity = small == "length"     ? std::optional(dimension::length)
                          : small == "mass"     ? std::optional(dimension::mass)
                          : small == "time"     ? std::optional(dimension::time)
                          : small == "velocity" ? std::optional(dimension::velocity)
                                                : std::nullopt;
    auto const value = positive_number_in(word);
    auto const unit = unit_in(word);
    if (quantity && !named && number == 0.0) {
      named = quantity;
    } else if (value && number == 0.0) {
      number = *value;
    } else if (unit && (!named || *named == unit->dimension) && !units.value(unit->dimension)) {
      units.value(unit->dimension) = (number > 0.0 ? number : 1.0) * unit->si;
      named.reset();
      number = 0.0;
    } else {
      return false;
    }
  }
  return !named && number == 0.0;
}

/// Parses a list of units such as "length 3.1e16 m, mass Msun, velocity km/s" or "au Msun yr": each
/// unit once, optionally with its quantity and a number before it, and either time or velocity.
std::optional<Units::Si> units_in(std::string_view text) {
  ParsedUnits units;
  while (!text.empty()) {
    auto const comma = std::min(text.find(','), text.size());
    if (!parse_units(std::string(text.substr(0, comma)), units)) return std::nullopt;
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  bool const whole =
      units.length && units.mass && units.time.has_value() != units.velocity.has_value();
  if (!whole) return std::nullopt;
  return Units::Si{*units.length, *units.mass,
                   units.time ? *units.time : *units.length / *units.velocity};
}

bool are_alike(Units::Si const& a, Units::Si const& b) {
  auto const near = [](double x, double y) { return std::abs(x / y - 1.0) <= 1e-6; };
  return near(a.length, b.length) && near(a.mass, b.mass) && near(a.time, b.time);
}

}  // namespace

std::string si_text(Units::Si const& si) {
  return "length " + shortest(si.length) + " m, mass " + shortest(si.mass) + " kg, time " +
         shortest(si.time) + " s";
}

void convert_units(BodiesFile& file, Units::Si const& target) {
  APSIS_EXPECT(file.units, "a file that is converted states its units");
  auto const source = *file.units;
  double const length = source.length / target.length;
  double const velocity = length * (target.time / source.time);
  auto& bodies = file.bodies;
  for (auto& mass : bodies.mass) mass *= source.mass / target.mass;
  for (auto& position : bodies.position) position = length * position;
  for (auto& component : bodies.velocity) component = velocity * component;
  for (auto& radius : bodies.radius) radius *= length;
  file.time *= source.time / target.time;
  file.units = target;
  file.unit_system.clear();
}

bool state_units(BodiesFile& file, Units::Si const& units) {
  if (file.has_fixed_units) return false;
  if (file.units) {
    auto const& stated = *file.units;
    bool const is_same =
        stated.length == units.length && stated.mass == units.mass && stated.time == units.time;
    if (is_same) return true;
    if (!are_replaceable(stated.length, units.length) ||
        !are_replaceable(stated.mass, units.mass) || !are_replaceable(stated.time, units.time)) {
      return false;
    }
    file.notes.push_back("its units, " + short_si_text(stated) + ", are replaced by " +
                         short_si_text(units));
  }
  // Units in a comment or after a name need not be stated any more.
  std::erase_if(file.unused,
                [](std::string const& words) { return words.starts_with("the units of line"); });
  file.units = units;
  file.unit_system.clear();
  return true;
}

std::string units_text(BodiesFile const& file) {
  bool const named = unit_systems().find(file.unit_system) != nullptr;
  std::string const name = named ? file.unit_system : "";
  if (!file.units) return name;
  return name + (named ? ": " : "") + si_text(*file.units);
}

bool read_units_text(std::string_view text, BodiesFile& file) {
  text = trimmed(text);
  auto const name = text.substr(0, text.find_first_of(": \t"));
  auto const* system = unit_systems().find(lower_case(name));
  if (system != nullptr) {
    text.remove_prefix(name.size());
    text = trimmed(text);
    if (text.starts_with(':')) text.remove_prefix(1);
    text = trimmed(text);
    file.unit_system = system->system;
    file.units = system->si;
    if (text.empty()) return true;
  }
  auto const si = units_in(text);
  // A name with values that contradict it is an error.
  bool const contradicts = system != nullptr && si && !(system->si && are_alike(*si, *system->si));
  if (!si || contradicts) return false;
  file.units = *si;
  return true;
}

}  // namespace apsis::formats
