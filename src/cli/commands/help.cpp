// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "core/program.hpp"
#include <apsis/core/text.hpp>
#include <apsis/deck/configuration.hpp>

#include <iostream>

namespace apsis::cli {

namespace {

/// Splits key paths: "bodies.list[0].mass" is equivalent to "bodies list mass".
std::vector<std::string> split_paths(std::vector<std::string> const& words) {
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
        usage_error("help deck " + word, "has an empty key", "", "write a key such as run.steps");
      }
    }
  }
  return parts;
}

ExitStatus help(std::vector<std::string> const& words) {
  // Help on commands is answered by the parser, which knows their options.
  if (words.empty() || words.front() != "deck") {
    usage_error(words.empty() ? "help" : words.front(), "is neither a command nor 'deck'", "",
                "see " + program_command("help") + " for the commands, " +
                    program_command("help deck") + " for the deck, " + program_command("list") +
                    " for models, integrators and other choices");
  }
  auto const keys = split_paths({words.begin() + 1, words.end()});
  std::cout << deck::deck_reference(deck::deck_table(), keys);
  return ExitStatus::conserved;
}

}  // namespace

Command help_command(std::vector<std::string> const& topics) {
  auto const words = std::make_shared<std::vector<std::string>>();
  return {"help",
          "Explain a command or the keys of a deck, e.g. help run, help deck gravity",
          {Option{"WHAT", "A command, or 'deck' and optionally a key", TextList{words.get(), false}}
               .one_of(topics)},
          [words] { return help(*words); },
          true};
}

}  // namespace apsis::cli
