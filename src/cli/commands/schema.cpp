// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include <apsis/deck/configuration.hpp>

#include <iostream>

namespace apsis::cli {

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

}  // namespace apsis::cli
