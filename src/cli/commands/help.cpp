// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "core/program.hpp"
#include "deck/cited_works.hpp"
#include <apsis/core/text.hpp>
#include <apsis/deck/configuration.hpp>
#include <apsis/run/run_directory.hpp>

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

struct CiteOptions {
  std::string deck;
  std::vector<std::string> overrides;
};

std::vector<deck::CitedWork> works_of(CiteOptions const& options) {
  if (options.deck.empty()) return deck::all_cited_works();
  auto const resolved = run::resolved_deck_in(options.deck);
  auto const source = resolved ? resolved->string() : options.deck;
  auto const deck = deck::configure(deck::read_deck_file(source), source, options.overrides);
  return deck::cited_works(deck.configuration);
}

ExitStatus cite(CiteOptions const& options) {
  for (auto const& [work, uses] : works_of(options)) {
    std::string line;
    for (auto const& use : uses) line += (line.empty() ? "% " : ", ") + use;
    std::cout << line << "\n" << work->bibtex() << "\n";
  }
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

Command schema_command() {
  return {"schema",
          "Print the JSON Schema (2020-12) of decks",
          {},
          [] {
            std::cout << deck::json_schema(deck::deck_table());
            return ExitStatus::conserved;
          },
          true};
}

Command cite_command() {
  auto const options = std::make_shared<CiteOptions>();
  return {"cite",
          "Print BibTeX entries of the works that a deck uses, or of all",
          {Option{"DECK", "JSON deck, or the directory of a run", &options->deck}.optional(),
           Option{"--set", "Override a deck value, e.g. integrator.name=hermite4 (repeatable)",
                  TextList{&options->overrides, false}, "PATH=VALUE"}
               .needs({"DECK"})},
          [options] { return cite(*options); },
          true};
}

}  // namespace apsis::cli
