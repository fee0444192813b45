// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include <apsis/core/program.hpp>
#include <apsis/core/text.hpp>
#include <apsis/driver/configuration.hpp>

#include <iostream>

namespace apsis::cli {

namespace {

/// "bodies.list[0].mass" leads where "bodies list mass" does.
std::vector<std::string> separated(std::vector<std::string> const& words) {
  std::vector<std::string> parts;
  for (auto const& word : words) {
    std::string part;
    bool index = false;
    for (char const c : word + '.') {
      index = c == '[' || (index && c != '.');
      if (c != '.') {
        if (!index) part += c;
      } else if (!part.empty()) {
        parts.push_back(std::move(part));
        part.clear();
      } else {
        usage_error("help deck " + word, "has an empty key", "", "write a place such as run.steps");
      }
    }
  }
  return parts;
}

ExitStatus help(std::vector<std::string> const& words) {
  // Commands were answered by the parser, who knows their options.
  if (words.empty() || words.front() != "deck") {
    usage_error(words.empty() ? "help" : words.front(), "is neither a command nor the deck", "",
                "see " + program_command("help") + " for the commands, " +
                    program_command("help deck") + " for the deck, " + program_command("list") +
                    " for models, integrators and the like");
  }
  auto const inside = separated({words.begin() + 1, words.end()});
  std::cout << io::deck_reference(driver::deck_table(), inside);
  return ExitStatus::conserved;
}

}  // namespace

Command help_command() {
  auto const words = std::make_shared<std::vector<std::string>>();
  return {"help",
          "Explain a command, or what a deck may hold: help run, help deck gravity",
          {{"WHAT", "A command, or 'deck' and a place in it", Words{words.get(), false}}},
          [words] { return help(*words); },
          true};
}

}  // namespace apsis::cli
