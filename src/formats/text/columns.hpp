// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/formats/bodies_file.hpp>

#include <array>
#include <cstddef>
#include <string_view>

namespace apsis::formats {

/// The columns of a table of bodies, in the default order.
inline constexpr std::array<std::string_view, 7> text_columns{"mass", "x",  "y", "z",
                                                              "vx",   "vy", "vz"};
/// Columns that a table may have besides.
inline constexpr std::string_view id_column = "id", radius_column = "radius", time_column = "time";

/// Beginning of a comment that states the units.
inline constexpr std::string_view units_mark = "units:";

}  // namespace apsis::formats

/// Recognition of the columns of a table of bodies by their names.
namespace apsis::formats {

/// Role of a column: index of the value in text_columns, id_role for an id, radius_role for a
/// radius, time_role for the time of the row, or no_role if the column is not used.
constexpr std::size_t z_role = 3, vz_role = 6;
constexpr std::size_t id_role = text_columns.size();
constexpr std::size_t radius_role = id_role + 1;
constexpr std::size_t time_role = radius_role + 1;
constexpr std::size_t no_role = time_role + 1;

/// Name of a role: "mass" ... "vz", "id", "radius", "time"; "-" for no_role.
std::string name_of_role(std::size_t role);

/// Splits a line into the fields between commas, or the words between blanks.
void split(std::string_view line, bool commas, std::vector<std::string_view>& fields);
bool has_comma(std::string_view line);

/// Length of a line without its comment, which begins with `#` anywhere, or with `%` or `//` at the
/// beginning of the line or after a blank.
std::size_t length_without_comment(std::string_view line);

/// The words of a comment, without the marks before them.
std::string_view words_of_comment(std::string_view comment);

/// The field without enclosing quotes.
std::string_view unquoted(std::string_view field);

/// Roles of columns with these names. Units in brackets after a name are ignored. If no column has
/// the exact name of a role, other spellings are accepted, by one rule. Case, blanks, `_`, `-` and
/// `.` do not count. `m` is the mass and `t` the time. The letter of an axis stands before or after
/// a word for a position (`pos_x`, `x_position`, `px`) or a velocity (`velx`, `x_vel`, `v_x`).
std::vector<std::size_t> roles_of(std::vector<std::string_view> const& names);

/// How columns with other spellings than upper or lower case are read, for a note: "'pos_x' as x,
/// 'pos_y' as y"; empty if there are none.
std::string spellings(std::vector<std::string_view> const& names,
                      std::vector<std::size_t> const& roles);

/// The names in a comment, without a label ("Columns:"), brackets, units, "in" and "and".
std::vector<std::string> names_in_comment(std::string_view comment);

/// Whether roles lack only z and vz, so that the bodies are in the plane z = 0.
bool are_planar(std::vector<std::size_t> const& roles);

/// Roles of the columns in a comment that consists of the names of all columns, once each and in
/// any order, optionally with the id, the radius and units. Empty for any other comment.
std::vector<std::size_t> roles_in_comment(std::string_view comment);

/// Roles of the columns that a caller names, separated by blanks or commas, with '-' for a column
/// that is not read. Sets `why` unless each of the seven columns of a body is named once (z and vz
/// may both be missing), and id, radius and time at most once.
std::vector<std::size_t> roles_of_columns(std::string const& columns, std::string& why);

/// Roles of the columns in a comment that has one word for each of `columns` columns and names all
/// columns of a body among them. Empty for any other comment.
std::vector<std::size_t> roles_among(std::string_view comment, std::size_t columns);

/// Roles of the columns in a comment that has one known name for each of `columns` columns, without
/// repetition, even if columns of a body are missing. Empty for any other comment.
std::vector<std::size_t> roles_of_some(std::string_view comment, std::size_t columns);

/// Whether comments above rows of `columns` columns seem to name them in unknown words, or name
/// groups in another order than the default: "x1 x2 x3 v1 v2 v3 m", "Position Velocity Mass".
bool seem_to_name(std::vector<std::string> const& comments, std::size_t columns);

/// Whether a comment names groups of columns in the default order: "mass position velocity".
bool name_mass_first(std::vector<std::string> const& comments);

/// Whether the text contains a unit: "Msun pc pc pc km/s km/s km/s", "x (au)".
bool has_unit_words(std::string_view text);

}  // namespace apsis::formats

/// Parsing of numbers in text tables.
namespace apsis::formats {

enum class Fault { none, not_a_number, out_of_range };

/// Parses a decimal number. Accepts a plus sign, and the letter D of Fortran in the exponent.
Fault parse(std::string_view word, double& value);

/// Parses an integer. Accepts the floating-point form that numpy writes: 1.000e+00.
Fault parse(std::string_view word, std::uint64_t& value);

}  // namespace apsis::formats
