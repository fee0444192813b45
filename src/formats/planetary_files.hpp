// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/formats/bodies_file.hpp>

#include <string_view>

/// Text files of planetary dynamics. Their units are fixed by the format, so the numbers are
/// converted to the units of a deck.
namespace apsis::formats {

/// Reads vector tables of JPL Horizons: position and velocity of one body between $$SOE and $$EOE,
/// with labels or as CSV, in km and km/s or in au and au/day. A file may have several tables one
/// after the other, of one time, centre and frame: each is a body. Of several rows the first is
/// read. Masses are GM in the text above a table, or the mass in kg or g; without them 0. The unit
/// of mass is the Sun's. `epoch` is the Julian date.
///
/// Throws a bad-input error with the line for a table that is incomplete or contradicts another.
BodiesFile read_horizons(std::string_view text, std::string const& source);

/// Reads the files big.in and small.in of mercury6 (Chambers 1999, MNRAS 304, 793): Cartesian
/// states, "asteroidal" elements a e I g n M, or "cometary" elements q e I g n T, about a central
/// body of `central_mass` [Msun], in au, au/day and degrees. The file of big bodies begins with the
/// central body, at rest at the origin; that of small bodies has none. `epoch` is that of the file,
/// in days.
///
/// Throws bad-input errors with line numbers.
BodiesFile read_mercury(std::string_view text, std::string const& source, double central_mass);

}  // namespace apsis::formats
