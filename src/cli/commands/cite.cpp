// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "deck/cited_works.hpp"
#include <apsis/core/text.hpp>
#include <apsis/run/run_directory.hpp>

#include <iostream>

namespace apsis::cli {

namespace {

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
