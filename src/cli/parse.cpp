// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include <apsis/core/build_info.hpp>
#include <apsis/core/program.hpp>
#include <apsis/core/text.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <array>

/// The only file that sees CLI11, which takes long to compile.
namespace apsis::cli {

namespace {

std::string help_option = "--help";  // what main would hand over

bool is_command(std::string const& word, std::vector<Command> const& commands) {
  return std::any_of(commands.begin(), commands.end(),
                     [&](Command const& command) { return command.name == word; });
}

/// A first word that is no command is named, with the command it resembles.
void check_command_word(int argc, char** argv, std::vector<Command> const& commands) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> names;
  if (is_command(argv[1], commands)) return;
  for (auto const& command : commands) names.push_back(command.name);
  auto const close = nearest(argv[1], names);
  usage_error("command line", "unknown command '" + std::string(argv[1]) + "'", "",
              close.empty() ? "use one of " + quoted_list(names) : "did you mean '" + close + "'?");
}

struct Declare {
  CLI::App& app;
  Option const& option;

  CLI::Option* operator()(bool* value) const {
    if (option.name.front() != '!') return app.add_flag(option.name, *value, option.doc);
    // CLI11's own form of a flag that clears shows in the help as --flag{false}.
    return app.add_flag_callback(
        option.name.substr(1), [value] { *value = false; }, option.doc);
  }
  CLI::Option* operator()(std::string* value) const {
    return app.add_option(option.name, *value, option.doc)
        ->capture_default_str()
        ->check([](std::string const& given) {
          return given.empty() ? std::string("must not be empty") : std::string();
        });
  }
  template <class Value>
  CLI::Option* operator()(Value* value) const {
    return app.add_option(option.name, *value, option.doc)->capture_default_str();
  }
  CLI::Option* operator()(Words const& words) const {
    auto* const declared = app.add_option(option.name, *words.value, option.doc);
    constexpr int most = 1 << 20;  // a shell passes on no more
    if (option.name.find("--") == std::string::npos) return declared->expected(0, most);
    return words.by_commas ? declared->delimiter(',') : declared->allow_extra_args(false);
  }
  template <class Value, class Number>
  CLI::Option* operator()(Within<Value, Number> const& range) const {
    auto* const declared = app.add_option(option.name, *range.value, option.doc);
    declared->check(CLI::Range(range.least, range.most));
    if constexpr (std::is_same_v<Value, Number>) declared->capture_default_str();
    return declared;
  }
  CLI::Option* operator()(WithOrWithout const& number) const {
    // Without a number, CLI11 hands over what stands for none.
    auto const take = [number](CLI::results_t const& words) {
      *number.given = true;
      if (words.empty() || words[0].empty() || words[0] == "true" || words[0] == "{}") return true;
      int value = 0;
      if (!CLI::detail::lexical_cast(words[0], value)) return false;
      *number.value = value;
      return value >= number.least && value <= number.most;
    };
    return app.add_option(option.name, take, option.doc)->expected(0, 1);
  }
};

}  // namespace

Command const* parse(std::vector<Command> const& commands, int argc, char** argv) {
  check_command_word(argc, argv, commands);
  bool const help = argc >= 2 && argv[1] == std::string("help");
  if (help && (argc == 2 || is_command(argv[2], commands))) {
    std::array<char*, 3> words{argv[0], argc == 2 ? help_option.data() : argv[2],
                               help_option.data()};
    return parse(commands, 3, words.data());
  }
  CLI::App app("Gravitational N-body simulation that proves what it conserved", "apsis");
  app.require_subcommand(1);
  app.set_version_flag("--version", build_info().version);
  for (auto const& command : commands) {
    auto* const words = app.add_subcommand(command.name, command.doc);
    for (auto const& option : command.options) {
      auto* const declared = std::visit(Declare{*words, option}, option.value);
      if (!option.type.empty()) declared->type_name(option.type);
      bool const operand = option.name.find("--") == std::string::npos;
      if (operand && !std::holds_alternative<Words>(option.value)) declared->required();
    }
  }
  try {
    app.parse(argc, argv);
  } catch (CLI::Success const& success) {  // --help and --version are answers, not errors
    app.exit(success);
    return nullptr;
  } catch (CLI::ParseError const& error) {
    bool const of_command = argc >= 2 && is_command(argv[1], commands);
    usage_error(
        "command line", error.what(), "",
        "see " + program_command((of_command ? std::string(argv[1]) + " " : "") + "--help"));
  }
  for (auto const& command : commands) {
    if (app.got_subcommand(command.name)) return &command;
  }
  return nullptr;
}

}  // namespace apsis::cli
