// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"

#include <string>
#include <vector>

/// Completion of command lines: scripts for shells, made from the tables of options and keys.
namespace apsis::cli {

/// Names of the shells.
std::vector<std::string> const& completion_shells();

/// The script for one of the shells.
std::string completion_script(std::string const& shell, std::vector<Command> const& commands);

}  // namespace apsis::cli
