// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/driver/configuration.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace apsis::driver {

/// The model that takes its bodies from a file; as a line in the table of the deck. The bodies
/// themselves are read once, with read_file_bodies(), and belong to the configuration.
initial_conditions::ModelEntry const& file_model();

/// The file that a deck names: relative to the deck, or else to the current directory.
std::filesystem::path found_from(std::filesystem::path const& deck, std::string const& file);

/// Reads the bodies that `values` (of the section `bodies`) ask for. Throws as io::read_bodies().
std::shared_ptr<io::BodiesFile const> read_file_bodies(Values const& values);

/// Adds a problem if what the file says of its units contradicts the deck's.
void check_file_units(io::BodiesFile const& file, Units const& units, std::string const& where,
                      std::vector<Problem>& problems);

}  // namespace apsis::driver
