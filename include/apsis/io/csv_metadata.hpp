// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/table_column.hpp>

#include <string>
#include <vector>

namespace apsis::io {

/// What stands beside a CSV file as `<its name>-metadata.json`, where readers look for it: names,
/// meaning, type and unit of its columns (W3C 2015, Metadata Vocabulary for Tabular Data; units as
/// schema.org's unitText, which the vocabulary has no word for). `file`: the CSV's name.
std::string csv_metadata(std::string const& file, std::vector<TableColumn> const& columns,
                         Units const& units);

}  // namespace apsis::io
