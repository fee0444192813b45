// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/text.hpp>
#include <apsis/core/units.hpp>

#include <cmath>
#include <sstream>

namespace apsis {

namespace {

/// " pc^2", or nothing for the power 0.
std::string factor(std::string const& unit, int power) {
  if (power == 0) return "";
  return " " + unit + (power == 1 ? "" : "^" + std::to_string(power));
}

std::string product(Dimension of, std::string const& mass, std::string const& length,
                    std::string const& time) {
  auto const text = factor(mass, of.mass) + factor(length, of.length) + factor(time, of.time);
  return text.empty() ? text : text.substr(1);
}

Units without_dimension(std::string system, std::string doc) {
  return {std::move(system), std::move(doc), 1.0, "length", "mass", "time"};
}

Units of_solar_masses(std::string system, std::string doc, double length, std::string length_name,
                      double time, std::string time_name) {
  return {std::move(system),
          std::move(doc),
          constants::solar_mass_parameter * time * time / (length * length * length),
          std::move(length_name),
          "Msun",
          std::move(time_name),
          Units::Si{length, constants::solar_mass, time}};
}

}  // namespace

std::string Units::name(Dimension of) const {
  if (system != "custom") return product(of, mass, length, time);
  // One number in front of the SI unit reads better than powers of three numbers.
  double const value =
      std::pow(si->mass, of.mass) * std::pow(si->length, of.length) * std::pow(si->time, of.time);
  auto const unit = product(of, "kg", "m", "s");
  return value == 1.0 || unit.empty() ? unit : shortest(value) + " " + unit;
}

std::string Units::with_unit(std::string const& number, Dimension of) const {
  auto const unit = si ? name(of) : "";
  if (unit.empty()) return number;
  bool const is_number = unit.front() >= '0' && unit.front() <= '9';
  return number + (is_number ? " x " : " ") + unit;
}

std::string Units::with_short_unit(std::string const& number, Dimension of) const {
  if (system != "custom") return with_unit(number, of);
  double const value =
      std::pow(si->mass, of.mass) * std::pow(si->length, of.length) * std::pow(si->time, of.time);
  for (auto const& unit : named_units()) {
    if (unit.of != of) continue;
    double const power = std::round(std::log10(value / unit.si));
    bool const near = std::abs(value / unit.si / std::pow(10.0, power) - 1.0) < 1e-3;
    // Powers of ten are read of masses of suns, and of nothing else.
    bool const said = power == 0.0 || (unit.name == "Msun" && power > 0.0);
    if (!near || !said) continue;
    return number + (power == 0.0 ? " " : " x " + formatted("1e%.0f ", power)) + unit.name;
  }
  auto const unit = product(of, "kg", "m", "s");
  return unit.empty() ? number : number + " x " + formatted("%.3g ", value) + unit;
}

std::string Units::words() const {
  auto const names = si ? length + ", " + mass + ", " + time + ", " : "";
  return system + ": " + names + "G = " + shortest(G);
}

std::optional<double> Units::velocity_in_km_s() const {
  if (!si) return std::nullopt;
  return si->length / si->time / 1000.0;
}

Registry<Units, &Units::system> const& unit_systems() {
  static Registry<Units, &Units::system> const table{
      "system of units",
      {without_dimension("henon", "numbers without units, G = 1"),
       of_solar_masses("astrophysical",
                       "pc, Msun and Myr (1e6 Julian years), velocities in pc/Myr (0.978 km/s)",
                       constants::parsec, "pc", 1e6 * constants::julian_year, "Myr"),
       of_solar_masses("solar", "au, Msun and yr (Julian), velocities in au/yr",
                       constants::astronomical_unit, "au", constants::julian_year, "yr"),
       without_dimension("dimensionless", "numbers without units, G as the deck says")}};
  return table;
}

std::vector<NamedUnit> const& named_units() {
  using namespace constants;
  static std::vector<NamedUnit> const all{
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
      {"yr", dimension::time, julian_year, "year years"},
      {"Myr", dimension::time, 1e6 * julian_year, ""},
      {"Gyr", dimension::time, 1e9 * julian_year, ""},
      {"day", dimension::time, 86400.0, "days"},
      {"s", dimension::time, 1.0, "second seconds"}};
  return all;
}

NamedUnit const* find_unit(std::string const& name) {
  for (auto const& unit : named_units()) {
    if (unit.name == name) return &unit;
  }
  // Capitals tell a milliparsec from a megaparsec, and most single letters apart.
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

Units custom_units(Units::Si const& si) {
  auto const named = [](double value, char const* unit) { return shortest(value) + " " + unit; };
  double const G = constants::gravitational_constant * si.mass * si.time * si.time /
                   (si.length * si.length * si.length);
  return {"custom", "", G, named(si.length, "m"), named(si.mass, "kg"), named(si.time, "s"), si};
}

}  // namespace apsis
