// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/io/bodies_file.hpp>
#include <apsis/io/input.hpp>

#include <string>
#include <string_view>
#include <vector>

/// Tables of bodies as text: one line for each body, with the columns `mass x y z vx vy vz`
/// separated by blanks (as PeTar, NBODY6 and mcluster write them) or by commas.
namespace apsis::io {

/// Reads a whole table.
///
/// - The first line decides whether columns are separated by commas or by blanks. It may name the
///   columns, in any order and with an optional `id` (an integer). Other columns are listed in
///   `unused`.
/// - Without names, the table must have the seven columns. It is rejected if the masses may equally
///   well be in the last column.
/// - `columns` names the columns explicitly ("x y z vx vy vz mass - -"), separated by blanks or
///   commas, with '-' for a column that is not read.
/// - `#` begins a comment. A comment above the rows that consists of the names of all columns
/// counts
///   as a line of names.
/// - Blank lines, CRLF and a last line without a line end are accepted. Numbers are decimal in any
///   locale. The time is 0.
///
/// Throws bad-input errors with line numbers, several at once. Cost: linear in the size. Memory:
/// the bodies and one block of the text; lines may have at most 64 KiB.
BodiesFile read_text_bodies(Input& input, CountCheck const& count = {},
                            std::string const& columns = {});
BodiesFile read_text_bodies(std::string_view text, std::string const& source,
                            std::string const& columns = {});

/// Returns why `columns` is not a valid list of column names; empty if it is valid.
std::string problem_of_columns(std::string const& columns);

struct TextOptions {
  bool csv = false;  ///< commas as separators, and a first line with the names
  bool ids = false;  ///< `id` as the first column
};

/// The bodies as a table. Numbers are the shortest that read back exactly. Descriptions of data
/// that the table cannot hold are added to `lost`.
std::string write_text_bodies(BodiesFile const& file, TextOptions const& options,
                              std::vector<std::string>& lost);

}  // namespace apsis::io
