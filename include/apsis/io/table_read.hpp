// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace apsis::io {

/// The numbers of some columns of one of our own tables, such as conservation.csv, a vector for
/// each name; rows up to the first that is not whole (a run may be writing the next). All of them
/// are empty if a column is not there. Throws an input/output error.
std::vector<std::vector<double>> read_columns(std::filesystem::path const& file,
                                              std::vector<std::string> const& names);

}  // namespace apsis::io
