// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/parameter.hpp>

#include <string>
#include <vector>

namespace apsis::files {

/// Metadata of a CSV file as JSON, for `<file>-metadata.json` beside it: name, description, type
/// and unit of each column (W3C 2015, Metadata Vocabulary for Tabular Data). Units use unitText of
/// schema.org, because the vocabulary has no term for them. `file`: name of the CSV file.
std::string csv_metadata(std::string const& file, std::vector<TableColumn> const& columns,
                         Units const& units);

}  // namespace apsis::files
