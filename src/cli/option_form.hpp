// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"

#include <string>

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
