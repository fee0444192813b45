// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/registry.hpp>

#include <numbers>
#include <optional>
#include <string>
#include <vector>

namespace apsis {

/// Constants in SI units.
namespace constants {
inline constexpr double astronomical_unit = 149597870700.0;  ///< [m], IAU 2012 Resolution B2
inline constexpr double parsec =                             ///< [m], IAU 2015 Resolution B2
    648000.0 / std::numbers::pi * astronomical_unit;
inline constexpr double julian_year = 365.25 * 86400.0;  ///< [s]
/// G times the mass of the Sun [m^3/s^2], nominal value of IAU 2015 Resolution B3. The product is
/// known to ten digits, G alone to five.
inline constexpr double solar_mass_parameter = 1.3271244e20;
inline constexpr double gravitational_constant = 6.67430e-11;  ///< [m^3/(kg s^2)], CODATA 2018
/// [kg], with the accuracy of G.
inline constexpr double solar_mass = solar_mass_parameter / gravitational_constant;
}  // namespace constants

/// Physical dimension of a number, as powers of mass, length and time.
struct Dimension {
  int mass = 0;
  int length = 0;
  int time = 0;

  bool operator==(Dimension const&) const = default;
};

namespace dimension {
inline constexpr Dimension none{};
inline constexpr Dimension mass{1, 0, 0};
inline constexpr Dimension length{0, 1, 0};
inline constexpr Dimension time{0, 0, 1};
inline constexpr Dimension velocity{0, 1, -1};
inline constexpr Dimension momentum{1, 1, -1};
inline constexpr Dimension angular_momentum{1, 2, -1};
inline constexpr Dimension energy{1, 2, -2};
}  // namespace dimension

/// System of units of a run.
struct Units {
  /// SI values of the units.
  struct Si {
    double length;  ///< [m]
    double mass;    ///< [kg]
    double time;    ///< [s]
  };

  std::string system;
  std::string doc;
  double G;                             ///< [length^3 / (mass time^2)]
  std::string length, mass, time;       ///< names; for custom units, their SI values
  std::optional<Si> si = std::nullopt;  ///< nothing for dimensionless units

  /// The unit of a number with full digits: "Msun pc^2 Myr^-2", "1.5e+11 m"; empty for a
  /// dimensionless number.
  std::string name(Dimension dimension) const;
  /// A number and its unit: "1.5 pc", "1.5 x 3.1e+19 m"; the number alone in dimensionless units.
  std::string with_unit(std::string const& number, Dimension dimension) const;
  /// The unit in readable form: its name if it has one ("kpc", "1e10 Msun"), otherwise its SI value
  /// with three digits; empty in dimensionless units.
  std::string short_name(Dimension dimension) const;
  /// A number and its short_name(): "1.5 kpc", "48 x 1e10 Msun". A time in a unit without a name is
  /// followed by its value in a named unit: "0.02 x 3.09e+16 s (19.6 Myr)".
  std::string with_short_unit(std::string const& number, Dimension dimension) const;
  /// Description with full digits: "astrophysical: pc, Msun, Myr, G = 0.0045".
  std::string words() const;
  /// Description in readable form: "custom: kpc, 1e10 Msun, 3.09e+16 s (velocities in 1 km/s),
  /// G = 43000".
  std::string short_words() const;
  /// SI value of the unit of this dimension; nothing in dimensionless units.
  std::optional<double> value_in_si(Dimension dimension) const;
  /// The unit of velocity in km/s; nothing in dimensionless units.
  std::optional<double> velocity_in_km_s() const;
};

/// The named systems of units, "henon" first.
Registry<Units, &Units::system> const& unit_systems();

/// A unit with a name.
struct NamedUnit {
  std::string name;
  Dimension dimension;  ///< mass, length or time
  double si;            ///< [kg], [m] or [s]
  std::string other_names{};
};
/// All named units: "au", "pc", "Msun", "kg", "yr" ...
std::vector<NamedUnit> const& named_units();
/// The unit with this name, or null. Case is ignored unless it distinguishes units (mpc and Mpc).
NamedUnit const* find_unit(std::string const& name);

/// A unit, or a number with a unit.
struct Quantity {
  double si;            ///< value in SI units
  Dimension dimension;  ///< mass, length, time or velocity
  bool exact;           ///< whether the unit names are spelled exactly as in named_units()
};
/// Parses a unit such as "pc" or "km/s": one of named_units(), or a length divided by a time.
/// Nothing for any other word.
std::optional<Quantity> unit_in(std::string const& word);
/// Parses a unit or a positive number with a unit: "pc", "1e10 Msun", "220 km/s".
std::optional<Quantity> quantity_in(std::string const& words);

/// Parses as quantity_in(), and also a negative number with a unit: "-3 au".
std::optional<Quantity> signed_quantity_in(std::string const& words);

/// Custom units from their SI values. G is the value of CODATA 2018.
Units custom_units(Units::Si const& si);

}  // namespace apsis
