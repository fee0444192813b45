// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/option_form.hpp"
#include "core/program.hpp"
#include <apsis/core/text.hpp>

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace apsis::cli {

namespace {

std::string page_of(std::string const& name, std::vector<Command> const& commands) {
  if (name.empty()) return program_page(commands);
  if (name == "deck") return deck_page();
  auto const command = std::find_if(commands.begin(), commands.end(),
                                    [&](Command const& other) { return other.name == name; });
  if (command != commands.end()) return command_page(*command);
  std::vector<std::string> names{"deck"};
  for (auto const& other : commands) names.push_back(other.name);
  auto const close = nearest(name, names);
  usage_error(name, "has no manual page", "there are " + quoted_list(names),
              close.empty() ? "see " + program_command("help") : "did you mean '" + close + "'?");
}

}  // namespace

Command man_command(CommandTable const& table, std::vector<std::string> const& topics) {
  auto const name = std::make_shared<std::string>();
  return {"man",
          "Print the manual page of apsis, of a command or of the deck, in roff (for man -l)",
          {Option{"COMMAND", "A command, or 'deck'", name.get()}.optional().one_of(topics)},
          [name, table] {
            auto const commands = table();
            // A page is for every user, wherever this executable lies.
            ::setenv("APSIS_STARTED_AS", "apsis", 1);
            name_program(nullptr);
            std::cout << page_of(*name, commands);
            return ExitStatus::conserved;
          },
          true};
}

}  // namespace apsis::cli
