// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "text_columns.hpp"

#include <string>
#include <vector>

/// What people call the columns of a table of bodies.
namespace apsis::io {

/// Which value of a body a column holds.
constexpr std::size_t id_place = text_columns.size();
constexpr std::size_t no_place = id_place + 1;

/// Words between blanks or commas, or fields between commas.
void split(std::string_view line, bool commas, std::vector<std::string_view>& fields);
bool has_comma(std::string_view line);

/// What the columns of those names hold, whatever units stand behind a name in brackets. Where
/// nothing has a name as it should be, one in capital letters counts, and `m` as the mass.
std::vector<std::size_t> places_of(std::vector<std::string_view> const& names);

/// The columns of a comment that names all of them once and has no other word but units, with or
/// without the id, in any order; nothing of any other.
std::vector<std::size_t> places_in_comment(std::string_view comment);

/// The columns that a caller names: blanks or commas between, '-' for one that is not read. Sets
/// `why` if they are not the seven of a body, once each, and perhaps an id.
std::vector<std::size_t> places_of_columns(std::string const& columns, std::string& why);

/// The same of one that has a word for each of so many columns, those of others among them.
std::vector<std::size_t> places_among(std::string_view comment, std::size_t columns);

/// The columns of one that has a name for each of so many, and every one is known, if not all that
/// there must be are among them; nothing of any other.
std::vector<std::size_t> places_of_some(std::string_view comment, std::size_t columns);

/// Whether comments above rows of so many columns seem to name them in words that are not known,
/// or groups of them in another order than a file without names has: "x1 x2 x3 v1 v2 v3 m",
/// "Position Velocity Mass".
bool seem_to_name(std::vector<std::string> const& comments, std::size_t columns);

/// Whether a comment names groups of columns in the order of a file without names: "mass position
/// velocity".
bool say_mass_first(std::vector<std::string> const& comments);

/// Whether there is a unit among the words: "Msun pc pc pc km/s km/s km/s", "x (au)".
bool has_unit_words(std::string_view text);

}  // namespace apsis::io
