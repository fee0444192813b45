// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"

#include <string>
#include <vector>

namespace apsis::cli {

/// How an option is written, for help, manual pages and completion.
struct OptionForm {
  std::string name;          ///< "--threads" or "DECK"
  std::string value;         ///< name of its value: "N"; empty for a flag and an operand
  std::string range;         ///< "from 1 to 65536"; empty without bounds
  std::string default_text;  ///< empty without a default
  bool is_operand = false;
  bool is_required = false;  ///< an operand that cannot be left out
  bool is_repeatable = false;
};

OptionForm form_of(Option const& option);

/// Returns the operands and values of a command in one line: "run [OPTIONS] DECK".
std::string synopsis_of(Command const& command);

}  // namespace apsis::cli

/// Completion of command lines: scripts for shells, made from the tables of options and keys.
namespace apsis::cli {

/// Names of the shells.
std::vector<std::string> const& completion_shells();

/// The script for one of the shells.
std::string completion_script(std::string const& shell, std::vector<Command> const& commands);

}  // namespace apsis::cli

/// Manual pages in roff, with the macros of man(7).
namespace apsis::cli {

/// Page of the program: apsis(1).
std::string program_page(std::vector<Command> const& commands);

/// Page of a command: apsis-run(1).
std::string command_page(Command const& command);

/// Page of the keys of a deck, from the reference of the deck: apsis-deck(5).
std::string deck_page();

}  // namespace apsis::cli
