// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/option_form.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <iostream>

namespace apsis::cli {

Command completion_command(CommandTable const& table) {
  auto const shell = std::make_shared<std::string>();
  return {"completion",
          "Print a script that completes command lines of apsis in a shell",
          {Option{"SHELL", "bash, zsh or fish", shell.get()}.one_of(completion_shells())},
          [shell, table] {
            auto const& shells = completion_shells();
            if (std::find(shells.begin(), shells.end(), *shell) == shells.end()) {
              usage_error(*shell, "has no completion", "", "use one of " + quoted_list(shells));
            }
            std::cout << completion_script(*shell, table());
            return ExitStatus::conserved;
          },
          true};
}

}  // namespace apsis::cli
