// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include <apsis/core/error.hpp>

#include <doctest/doctest.h>

#include <string>
#include <variant>
#include <vector>

/// Compiled with the oldest CLI11 that Apsis supports.
namespace apsis::cli {

namespace {

/// Whether the parser accepts the words, whatever the command then makes of them.
bool accepts(std::vector<Command> const& commands, std::vector<std::string> words) {
  words.insert(words.begin(), "apsis");
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  try {
    parse(commands, static_cast<int>(arguments.size()), arguments.data());
  } catch (Error const& error) {
    return error.problems().front().where != "command line";
  }
  return true;
}

std::vector<std::string> const operand_words{"gravity", "forces", "run", "output"};

TEST_CASE("each command takes as many operands as its table declares") {
  auto const number_of_commands = all_commands({}).size();
  CHECK(number_of_commands > 10);
  for (std::size_t index = 0; index < number_of_commands; ++index) {
    for (std::size_t count = 0; count <= operand_words.size(); ++count) {
      auto const commands = all_commands({});
      auto const& command = commands[index];
      std::size_t least = 0, most = 0;
      std::vector<std::string> const* list = nullptr;
      for (auto const& option : command.options) {
        auto const form = form_of(option);
        if (!form.is_operand) continue;
        least += form.is_required ? 1 : 0;
        most = form.is_repeatable ? operand_words.size() : most + 1;
        if (form.is_repeatable) list = std::get<TextList>(option.value).value;
      }
      std::vector<std::string> words(operand_words.begin(),
                                     operand_words.begin() + static_cast<std::ptrdiff_t>(count));
      auto const operands = words;
      words.insert(words.begin(), command.name);
      CAPTURE(command.name);
      CAPTURE(count);
      bool const fits = least <= count && count <= most;
      CHECK(accepts(commands, words) == fits);
      if (fits && list != nullptr) CHECK(*list == operands);
    }
  }
}

TEST_CASE("an option that may be repeated takes one word each time") {
  auto const commands = all_commands({});
  CHECK(accepts(commands, {"render", "first", "--set", "a=1", "--set", "b=2", "second"}));
  for (auto const& command : commands) {
    if (command.name != "render") continue;
    for (auto const& option : command.options) {
      if (form_of(option).name == "--set") {
        CHECK(*std::get<TextList>(option.value).value == std::vector<std::string>{"a=1", "b=2"});
      } else if (form_of(option).is_operand) {
        CHECK(*std::get<TextList>(option.value).value ==
              std::vector<std::string>{"first", "second"});
      }
    }
  }
}

}  // namespace

}  // namespace apsis::cli
