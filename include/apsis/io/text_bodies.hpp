// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/io/bodies_file.hpp>
#include <apsis/io/input.hpp>

#include <string>
#include <string_view>
#include <vector>

/// Tables of bodies as text: one line a body, with columns `mass x y z vx vy vz` between blanks (as
/// PeTar, NBODY6 and mcluster write them) or commas.
namespace apsis::io {

/// Reads a whole table. Its first line decides whether commas or blanks are between the columns,
/// and may name them, in any order, with an `id` (a whole number) if there is one; other columns
/// are told in `unused`. Without names there are the seven columns, and a table that may as well
/// have its masses last is refused. `columns` names them instead ("x y z vx vy vz mass - -"):
/// blanks or commas between, '-' for a column that is not read. `#` begins a comment; one above the
/// rows that names all columns, and nothing else, counts as their names. Blank lines, CRLF and a
/// last line without an end are fine. The time is 0: a table has none. Numbers are decimal whatever
/// the locale. Throws bad-input errors with the line's number, several at once. Linear in the size;
/// memory: the bodies and a block of the text, whose lines are no longer than 64 KiB.
BodiesFile read_text_bodies(Input& input, CountCheck const& count = {},
                            std::string const& columns = {});
BodiesFile read_text_bodies(std::string_view text, std::string const& source,
                            std::string const& columns = {});

/// Returns why `columns` cannot name the columns of a table; empty if it can.
std::string problem_of_columns(std::string const& columns);

struct TextOptions {
  bool csv = false;  ///< commas, below a first line with the names
  bool ids = false;  ///< a first column `id`
};

/// The table, in the shortest numbers that read back as the same bits; what is lost is added to
/// `lost` in words.
std::string write_text_bodies(BodiesFile const& file, TextOptions const& options,
                              std::vector<std::string>& lost);

}  // namespace apsis::io
