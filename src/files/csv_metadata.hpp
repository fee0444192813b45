// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/parameter.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace apsis::files {

/// Metadata of a CSV file as JSON, for `<file>-metadata.json` beside it: name, description, type
/// and unit of each column (W3C 2015, Metadata Vocabulary for Tabular Data). Units use unitText of
/// schema.org, because the vocabulary has no term for them. `file`: name of the CSV file.
std::string csv_metadata(std::string const& file, std::vector<TableColumn> const& columns,
                         Units const& units);

/// Reads columns of a table written by Apsis, such as conservation.csv; one vector for each name.
/// Reading stops at the first incomplete row, which a run may be writing. All vectors are empty if
/// a column is missing. Throws an input/output error.
std::vector<std::vector<double>> read_columns(std::filesystem::path const& file,
                                              std::vector<std::string> const& names);

}  // namespace apsis::files
