// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/input.hpp"
#include <apsis/formats/bodies_file.hpp>

/// Tables of bodies as text: one line for each body, with the columns `mass x y z vx vy vz`
/// separated by blanks (as PeTar, NBODY6 and mcluster write them) or by commas.
namespace apsis::formats {

struct TextReadOptions {
  /// Names of the columns ("x y z vx vy vz mass - -"), separated by blanks or commas, with '-' for
  /// a column that is not read; empty if the file names them.
  std::string columns{};
  std::optional<double> time{};  ///< the time to choose from a series, in units of the file
};

/// Reads a whole table.
///
/// - The first line decides whether columns are separated by commas or by blanks. It may name the
///   columns, in any order and with an optional `id` (an integer), `radius` or `time`. Other
///   columns are listed in `unused`. Without z and vz both are 0.
/// - Without names, the table must have the seven columns. It is rejected if the masses may equally
///   well be in the last column.
/// - Numbers above the rows are recognised: a count, and the layouts of Barnes' treecode, NEMO's
///   atos, FDPS, PeTar and COS 126 (text_layout.hpp). `notes` says which; a count must be right,
///   and a table that could be two of them is rejected.
/// - With several times in a column `time` (or `t`), one of them must be chosen.
/// - `#` begins a comment, and so does `%` or `//` at the beginning of a line or after a blank. A
///   comment above the rows that consists of the names of all columns counts as a line of names.
/// - Blank lines, CRLF, quoted fields and a last line without a line end are accepted. Numbers are
///   decimal in any locale. Without a time in the file it is 0.
///
/// Throws bad-input errors with line numbers, several at once. Cost: linear in the size. Memory:
/// the bodies and one block of the text; lines may have at most 64 KiB.
BodiesFile read_text_bodies(files::Input&& input, CountCheck const& count = {},
                            TextReadOptions const& options = {});

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

}  // namespace apsis::formats
