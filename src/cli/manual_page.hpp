// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"

#include <string>
#include <vector>

/// Manual pages in roff, with the macros of man(7).
namespace apsis::cli {

/// Page of the program: apsis(1).
std::string program_page(std::vector<Command> const& commands);

/// Page of a command: apsis-run(1).
std::string command_page(Command const& command);

/// Page of the keys of a deck, from the reference of the deck: apsis-deck(5).
std::string deck_page();

}  // namespace apsis::cli
