// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace apsis::files {

/// Reads columns of a table written by Apsis, such as conservation.csv; one vector for each name.
/// Reading stops at the first incomplete row, which a run may be writing. All vectors are empty if
/// a column is missing. Throws an input/output error.
std::vector<std::vector<double>> read_columns(std::filesystem::path const& file,
                                              std::vector<std::string> const& names);

}  // namespace apsis::files
