// SPDX-License-Identifier: Apache-2.0
#include "apsis/core/units.hpp"

#include <apsis/core/text.hpp>

#include <cmath>
#include <cstdlib>
#include <sstream>

namespace apsis {

namespace {

/// A unit to a power, with a leading space: " pc^2". Empty for the power 0.
std::string factor(std::string const& unit, int power) {
  if (power == 0) return "";
  return " " + unit + (power == 1 ? "" : "^" + std::to_string(power));
}

std::string product(Dimension dimension, std::string const& mass, std::string const& length,
                    std::string const& time) {
  auto const text = factor(mass, dimension.mass) + factor(length, dimension.length) +
                    factor(time, dimension.time);
  return text.empty() ? text : text.substr(1);
}

/// The unit as it follows a number: " pc", or " x 1e10 Msun" if it begins with a digit.
std::string after_number(std::string const& unit) {
  if (unit.empty()) return unit;
  bool const is_number = unit.front() >= '0' && unit.front() <= '9';
  return (is_number ? " x " : " ") + unit;
}

/// A time in the largest named unit that it exceeds: "18.3 Myr".
std::string in_named_times(double seconds) {
  std::string best;
  for (auto const& unit : named_units()) {  // units of time are in ascending order
    if (unit.dimension != dimension::time || (seconds < unit.si && !best.empty())) continue;
    best = formatted("%.3g ", seconds / unit.si) + unit.name;
  }
  return best;
}

Units dimensionless(std::string system, std::string doc) {
  return {std::move(system), std::move(doc), 1.0, "length", "mass", "time"};
}

Units units_of_solar_mass(std::string system, std::string doc, double length,
                          std::string length_name, double time, std::string time_name) {
  return {std::move(system),
          std::move(doc),
          constants::solar_mass_parameter * time * time / (length * length * length),
          std::move(length_name),
          "Msun",
          std::move(time_name),
          Units::Si{length, constants::solar_mass, time}};
}

}  // namespace

std::string Units::name(Dimension dimension) const {
  if (system != "custom") return product(dimension, mass, length, time);
  // One number in front of the SI unit reads better than powers of three numbers.
  double const value = std::pow(si->mass, dimension.mass) * std::pow(si->length, dimension.length) *
                       std::pow(si->time, dimension.time);
  auto const unit = product(dimension, "kg", "m", "s");
  return value == 1.0 || unit.empty() ? unit : shortest(value) + " " + unit;
}

std::string Units::with_unit(std::string const& number, Dimension dimension) const {
  return number + after_number(si ? name(dimension) : "");
}

std::string Units::short_name(Dimension dimension) const {
  if (system != "custom") {
    if (si && dimension == dimension::velocity) return length + "/" + time;
    return si ? name(dimension) : "";
  }
  double const value = std::pow(si->mass, dimension.mass) * std::pow(si->length, dimension.length) *
                       std::pow(si->time, dimension.time);
  if (dimension == dimension::velocity && std::abs(value / 1e3 - 1.0) < 1e-3) return "km/s";
  for (auto const& unit : named_units()) {
    if (unit.dimension != dimension) continue;
    double const power = std::round(std::log10(value / unit.si));
    bool const near = std::abs(value / unit.si / std::pow(10.0, power) - 1.0) < 1e-3;
    // Powers of ten are customary for solar masses only.
    bool const is_readable = power == 0.0 || (unit.name == "Msun" && power > 0.0);
    if (near && is_readable) return (power == 0.0 ? "" : formatted("1e%.0f ", power)) + unit.name;
  }
  auto const unit = product(dimension, "kg", "m", "s");
  return unit.empty() ? unit : formatted("%.3g ", value) + unit;
}

std::string Units::with_short_unit(std::string const& number, Dimension dimension) const {
  auto const unit = short_name(dimension);
  bool const is_unnamed_time = dimension == dimension::time && !unit.empty() &&
                               unit.back() == 's' && unit.size() > 2 && system == "custom";
  double const seconds = is_unnamed_time ? std::strtod(number.c_str(), nullptr) * si->time : 0.0;
  return number + after_number(unit) + (seconds > 0.0 ? " (" + in_named_times(seconds) + ")" : "");
}

std::string Units::words() const {
  auto const names = si ? length + ", " + mass + ", " + time + ", " : "";
  return system + ": " + names + "G = " + shortest(G);
}

std::string Units::short_words() const {
  if (!si) return system + ": G = " + shortest(G);
  auto const names = short_name(dimension::length) + ", " + short_name(dimension::mass) + ", " +
                     short_name(dimension::time);
  auto const speed =
      system == "custom" ? formatted(" (velocities in %.6g km/s)", *velocity_in_km_s()) : "";
  return system + ": " + names + speed + ", G = " + shortest(G);
}

std::optional<double> Units::value_in_si(Dimension dimension) const {
  if (!si) return std::nullopt;
  double value = 1.0;
  auto const multiply = [&](double unit, int power) {
    for (; power > 0; --power) value *= unit;
    for (; power < 0; ++power) value /= unit;
  };
  multiply(si->mass, dimension.mass);
  multiply(si->length, dimension.length);
  multiply(si->time, dimension.time);
  return value;
}

std::optional<double> Units::velocity_in_km_s() const {
  if (!si) return std::nullopt;
  return si->length / si->time / 1000.0;
}

Registry<Units, &Units::system> const& unit_systems() {
  static Registry<Units, &Units::system> const table{
      "system of units",
      {dimensionless("henon", "numbers without units, G = 1"),
       units_of_solar_mass("astrophysical",
                           "pc, Msun and Myr (1e6 Julian years), velocities in pc/Myr (0.978 km/s)",
                           constants::parsec, "pc", 1e6 * constants::julian_year, "Myr"),
       units_of_solar_mass("solar", "au, Msun and yr (Julian), velocities in au/yr",
                           constants::astronomical_unit, "au", constants::julian_year, "yr"),
       dimensionless("dimensionless", "numbers without units, G as the deck says")}};
  return table;
}

std::vector<NamedUnit> const& named_units() {
  using namespace constants;
  static std::vector<NamedUnit> const units{
      {"au", dimension::length, astronomical_unit, ""},
      {"pc", dimension::length, parsec, "parsec parsecs"},
      {"kpc", dimension::length, 1e3 * parsec, ""},
      {"Mpc", dimension::length, 1e6 * parsec, ""},
      {"m", dimension::length, 1.0, "metre meter"},
      {"km", dimension::length, 1e3, "kilometre kilometer"},
      {"cm", dimension::length, 1e-2, ""},
      {"Msun", dimension::mass, solar_mass, "solar_mass sun"},
      {"Mjup", dimension::mass, 1.26686534e17 / gravitational_constant,
       "jupiter_mass"},  // IAU 2015 B3
      {"Mearth", dimension::mass, 3.986004e14 / gravitational_constant, "earth_mass"},
      {"kg", dimension::mass, 1.0, "kilogram"},
      {"g", dimension::mass, 1e-3, "gram"},
      {"s", dimension::time, 1.0, "second seconds"},
      {"day", dimension::time, 86400.0, "days"},
      {"yr", dimension::time, julian_year, "year years"},
      {"Myr", dimension::time, 1e6 * julian_year, ""},
      {"Gyr", dimension::time, 1e9 * julian_year, ""}};
  return units;
}

NamedUnit const* find_unit(std::string const& name) {
  for (auto const& unit : named_units()) {
    if (unit.name == name) return &unit;
  }
  // Case distinguishes a milliparsec from a megaparsec, and most units of a single letter.
  auto const small = lower_case(name);
  if (small.size() < 2 || small == "mpc") return nullptr;
  for (auto const& unit : named_units()) {
    if (lower_case(unit.name) == small) return &unit;
    std::istringstream others(unit.other_names);
    for (std::string other; others >> other;) {
      if (other == small) return &unit;
    }
  }
  return nullptr;
}

std::optional<Quantity> unit_in(std::string const& word) {
  auto const slash = word.find('/');
  auto const over = word.substr(0, slash);
  auto const* const first = find_unit(over);
  if (first == nullptr) return std::nullopt;
  if (slash == std::string::npos) return Quantity{first->si, first->dimension, first->name == over};
  auto const under = word.substr(slash + 1);
  auto const* const second = find_unit(under);
  bool const velocity = second != nullptr && first->dimension == dimension::length &&
                        second->dimension == dimension::time;
  if (!velocity) return std::nullopt;
  return Quantity{first->si / second->si, dimension::velocity,
                  first->name == over && second->name == under};
}

std::optional<Quantity> quantity_in(std::string const& words) {
  std::istringstream in(words);
  std::string first, second, more;
  in >> first >> second >> more;
  if (!more.empty()) return std::nullopt;
  if (second.empty()) return unit_in(first);
  auto const number = positive_number_in(first);
  auto unit = unit_in(second);
  if (!number || !unit) return std::nullopt;
  unit->si *= *number;
  return unit;
}

std::optional<Quantity> signed_quantity_in(std::string const& words) {
  auto const text = trimmed(words);
  if (!text.starts_with('-')) return quantity_in(words);
  auto quantity = quantity_in(std::string(text.substr(1)));
  if (quantity) quantity->si = -quantity->si;
  return quantity;
}

Units custom_units(Units::Si const& si) {
  auto const named = [](double value, char const* unit) { return shortest(value) + " " + unit; };
  double const G = constants::gravitational_constant * si.mass * si.time * si.time /
                   (si.length * si.length * si.length);
  return {"custom", "", G, named(si.length, "m"), named(si.mass, "kg"), named(si.time, "s"), si};
}

}  // namespace apsis
