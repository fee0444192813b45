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
/// G times the mass of the Sun [m^3/s^2], nominal value of IAU 2015 Resolution B3: known to ten
/// digits where G alone is known to five.
inline constexpr double solar_mass_parameter = 1.3271244e20;
inline constexpr double gravitational_constant = 6.67430e-11;  ///< [m^3/(kg s^2)], CODATA 2018
/// [kg], as far as G is known.
inline constexpr double solar_mass = solar_mass_parameter / gravitational_constant;
}  // namespace constants

/// What a number is, as powers of mass, length and time.
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

/// What the numbers of a run mean.
struct Units {
  /// The units in SI.
  struct Si {
    double length;  ///< [m]
    double mass;    ///< [kg]
    double time;    ///< [s]
  };

  std::string system;
  std::string doc;
  double G;                             ///< [length^3 / (mass time^2)]
  std::string length, mass, time;       ///< names; those of custom units are their SI values
  std::optional<Si> si = std::nullopt;  ///< nothing for numbers without dimension

  /// The unit of a number, everywhere: "Msun pc^2 Myr^-2", "1.5e+11 m"; empty without a dimension.
  std::string name(Dimension of) const;
  /// A number and its unit: "1.5 pc", "1.5 x 3.1e+19 m"; the number alone if there are no units.
  std::string with_unit(std::string const& number, Dimension of) const;
  /// The unit for people: one that has a name goes by it ("kpc", "1e10 Msun"), another by three
  /// digits; empty if there are no units.
  std::string short_name(Dimension of) const;
  /// A number and that: "1.5 kpc", "48 x 1e10 Msun"; times in units that have no name in known ones
  /// besides: "0.02 x 3.09e+16 s (19.6 Myr)".
  std::string with_short_unit(std::string const& number, Dimension of) const;
  /// "astrophysical: pc, Msun, Myr, G = 0.0045".
  std::string words() const;
  /// The same for people: "custom: kpc, 1e10 Msun, 3.09e+16 s (velocities in 1 km/s), G = 43000".
  std::string short_words() const;
  /// The unit of velocity in km/s.
  std::optional<double> velocity_in_km_s() const;
};

/// The systems that have a name, "henon" first.
Registry<Units, &Units::system> const& unit_systems();

/// A unit that people name.
struct NamedUnit {
  std::string name;
  Dimension of;  ///< mass, length or time
  double si;     ///< [kg], [m] or [s]
  std::string other_names{};
};
/// "au", "pc", "Msun", "kg", "yr" ...
std::vector<NamedUnit> const& named_units();
/// The one with this name; in whatever capitals where that makes no other; null if there is none.
NamedUnit const* find_unit(std::string const& name);

/// A unit in one word, or a quantity in two.
struct Quantity {
  double si;     ///< in SI
  Dimension of;  ///< mass, length, time or velocity
  bool exact;    ///< whether the units' names are in their own letters
};
/// "pc", or "km/s": one of named_units(), or a length over a time; nothing of other words.
std::optional<Quantity> unit_in(std::string const& word);
/// "pc", "1e10 Msun", "220 km/s": a unit, or a positive number before it.
std::optional<Quantity> quantity_in(std::string const& words);

/// Units of one's own, from their values in SI; their G is CODATA 2018's.
Units custom_units(Units::Si const& si);

}  // namespace apsis
