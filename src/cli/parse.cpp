// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "core/decimal.hpp"
#include "core/program.hpp"
#include "messages.hpp"
#include <apsis/core/machine.hpp>
#include <apsis/core/text.hpp>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <type_traits>

/// The only file that includes CLI11, which takes long to compile and delivers strings only.
namespace apsis::cli {

namespace {

template <class Value, class Number>
void describe(OptionForm& form, IntegerRange<Value, Number> const& range) {
  form.value = "N";
  form.range = "from " + std::to_string(static_cast<std::uint64_t>(range.least)) + " to " +
               std::to_string(static_cast<std::uint64_t>(range.most));
  if constexpr (std::is_same_v<Value, Number>) form.default_text = std::to_string(*range.value);
}
void describe(OptionForm&, bool*) {}
void describe(OptionForm& form, std::string const* value) {
  form.value = "TEXT";
  form.default_text = *value;
}
void describe(OptionForm& form, double const* value) {
  form.value = "NUMBER";
  form.default_text = shortest(*value);
}
void describe(OptionForm& form, std::optional<double> const*) {
  form.value = "NUMBER";
}
void describe(OptionForm& form, TextList const&) {
  form.value = "TEXT";
  form.is_repeatable = true;
}
void describe(OptionForm& form, OptionalNumber const&) {
  form.value = "N";
}

std::string help_option = "--help";  // argument, as main would pass it
constexpr std::size_t most_shown = 80;
constexpr char no_number[] = "\x01";  // stands for the missing number of an OptionalNumber

bool is_command(std::string const& word, std::vector<Command> const& commands) {
  return std::any_of(commands.begin(), commands.end(),
                     [&](Command const& command) { return command.name == word; });
}

/// Reports a first word that is not a command, and suggests the most similar command.
void check_command_word(std::string const& word, std::vector<Command> const& commands) {
  if (word.front() == '-' || is_command(word, commands)) return;
  std::vector<std::string> names;
  for (auto const& command : commands) names.push_back(command.name);
  auto const close = nearest(word, names);
  usage_error("command line", "unknown command '" + shortened(word, most_shown) + "'", "",
              close.empty() ? "use one of " + quoted_list(names) : "did you mean '" + close + "'?");
}

/// Refuses empty words, which CLI11 would treat as missing.
void check_not_empty(std::vector<std::string> const& words) {
  for (auto const& word : words) {
    bool const no_value =
        word.starts_with("--") && word.back() == '=' && word.find('=') == word.size() - 1;
    if (no_value) {
      usage_error(word.substr(0, word.size() - 1), "must not be empty", "nothing follows '='",
                  "give a value, or leave the option out");
    }
  }
  auto const empty = std::find(words.begin(), words.end(), "");
  if (empty == words.end()) return;
  bool const of_option = empty != words.begin() && (empty - 1)->starts_with("--");
  usage_error(of_option ? *(empty - 1) : "command line", "must not be empty", "found ''",
              of_option ? "give a value, or leave the option out" : "leave the empty word out");
}

/// Marks each OptionalNumber without a number. CLI11 would take the next word, for example a deck.
void mark_missing_numbers(std::vector<std::string>& words, Command const& command) {
  for (auto const& option : command.options) {
    if (!std::holds_alternative<OptionalNumber>(option.value)) continue;
    for (std::size_t k = 0; k < words.size(); ++k) {
      if (words[k] != option.name) continue;
      char const next = k + 1 < words.size() ? words[k + 1].front() : '-';
      if (next < '0' || next > '9') words[k] += std::string("=") + no_number;
    }
  }
}

[[noreturn]] void wrong_number(Option const& option, std::string const& word,
                               std::string const& problem, std::string const& advice) {
  usage_error(option.name + " " + word, problem, "", advice);
}

/// Parses an integer from `least` to `most`.
std::uint64_t whole_number(Option const& option, std::string const& word, std::uint64_t least,
                           std::uint64_t most) {
  std::uint64_t value = 0;
  auto const advice = "give a whole number from " + std::to_string(least) + " to " +
                      std::to_string(most) + ", in decimal digits without a leading zero";
  auto const numeral = read_decimal(word, value);
  if (numeral == Numeral::malformed) wrong_number(option, word, "is not a whole number", advice);
  if (numeral != Numeral::good || value < least || value > most) {
    wrong_number(option, word, "is out of range", advice);
  }
  return value;
}

double real_number(Option const& option, std::string const& word) {
  double value = 0.0;
  auto const numeral = read_decimal(word, value);
  auto const advice = "give a decimal number, such as 0.001 or 1e-3";
  if (numeral == Numeral::malformed) wrong_number(option, word, "is not a number", advice);
  if (numeral != Numeral::good) wrong_number(option, word, "is out of range", advice);
  return value;
}

/// Splits a word at commas.
std::vector<std::string> split(Option const& option, std::string const& word) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= word.size();) {
    auto const end = std::min(word.find(',', begin), word.size());
    parts.push_back(word.substr(begin, end - begin));
    if (parts.back().empty()) {
      usage_error(option.name + " " + word, "must not be empty", "there is no text next to a comma",
                  "leave the comma out");
    }
    begin = end + 1;
  }
  return parts;
}

/// Declares one option to CLI11.
struct Declare {
  CLI::App& app;
  Option const& option;
  OptionForm form = form_of(option);

  using Take = std::function<void(std::string const& word)>;

  /// Declares an option or operand with a value. CLI11 2.4.1 takes several operands only if extra
  /// arguments are allowed.
  CLI::Option* valued(Take take) const {
    auto* const declared = app.add_option(
        option.name,
        [take = std::move(take)](CLI::results_t const& words) {
          for (auto const& word : words) take(word);
          return true;
        },
        option.doc);
    declared->type_name(form.value + (form.range.empty() ? "" : " " + form.range));
    if (!form.default_text.empty()) declared->default_str(form.default_text);
    if (form.is_operand && form.is_repeatable) {
      constexpr int most = 1 << 20;  // more than a shell passes on
      return declared->expected(0, most)->allow_extra_args();
    }
    if (form.is_repeatable) declared->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    return declared->expected(1);
  }

  CLI::Option* operator()(bool* value) const {
    if (option.name.front() != '!') {
      return app.add_flag(option.name, *value, option.doc)->disable_flag_override();
    }
    // CLI11 itself would show a flag that clears as --flag{false} in the help.
    return app
        .add_flag_callback(
            form.name, [value] { *value = false; }, option.doc)
        ->disable_flag_override();
  }
  CLI::Option* operator()(std::string* value) const {
    return valued([value](std::string const& word) { *value = word; });
  }
  template <class Number>
  CLI::Option* operator()(Number* value) const requires std::convertible_to<double, Number> {
    return valued([value, &described = option](std::string const& word) {
      *value = real_number(described, word);
    });
  }
  CLI::Option* operator()(TextList const& words) const {
    return valued([words, &described = option](std::string const& word) {
      auto const parts =
          words.comma_separated ? split(described, word) : std::vector<std::string>{word};
      words.value->insert(words.value->end(), parts.begin(), parts.end());
    });
  }
  template <class Value, class Number>
  CLI::Option* operator()(IntegerRange<Value, Number> const& range) const {
    auto const least = static_cast<std::uint64_t>(range.least);
    auto const most = static_cast<std::uint64_t>(range.most);
    return valued([range, least, most, &described = option](std::string const& word) {
      *range.value = static_cast<Number>(whole_number(described, word, least, most));
    });
  }
  CLI::Option* operator()(OptionalNumber const& number) const {
    return valued([number, &described = option](std::string const& word) {
      *number.is_set = true;
      if (word == no_number) return;
      *number.value =
          static_cast<int>(whole_number(described, word, static_cast<std::uint64_t>(number.least),
                                        static_cast<std::uint64_t>(number.most)));
    });
  }
};

/// Refuses options that were given but have no effect.
void check_effects(Command const& command, std::map<std::string, bool> const& is_set_by_name) {
  auto const is_set = [&](std::string const& name) { return is_set_by_name.at(name); };
  for (auto const& option : command.options) {
    auto const name = form_of(option).name;
    if (!is_set(name)) continue;
    for (auto const& relation : option.relations) {
      auto const& others = relation.others;
      auto const other = std::find_if(others.begin(), others.end(), is_set);
      if (relation.kind == Relation::Kind::needs_one_of && other == others.end()) {
        usage_error(name, "is for " + others.front(), relation.why,
                    "give " + others.front() + " as well, or leave it out");
      }
      if (relation.kind == Relation::Kind::excludes && other != others.end()) {
        usage_error(name, "contradicts " + *other, relation.why, "leave one of them out");
      }
    }
    for (auto const& effect : option.effects) {
      auto problem = effect();
      if (!problem) continue;
      problem->where = name + problem->where;
      throw Error(ExitStatus::usage, *std::move(problem));
    }
  }
}

/// Returns what to use instead of an option of NVIDIA's nbody sample; empty for other words.
std::string advice_for_sample_option(std::string word) {
  static std::map<std::string, std::string> const table{
      {"numbodies", "the key bodies.count of a deck, or bench --bodies N"},
      {"benchmark", "the command bench"},
      {"compare", "the command compare"},
      {"fp64", "gravity.precision of a deck (double is the default), or bench --precision double"},
      {"tipsy", "{\"bodies\": {\"file\": \"PATH\"}} in a deck"},
      {"fullscreen", "the command demo"},
      {"device", "the environment variable KOKKOS_DEVICE_ID"},
      {"numdevices", "mpirun with a process for each device"},
      {"hostmem", "bench --memory host_pinned"},
      {"cpu", "the executable apsis.openmp"}};
  word.erase(0, word.find_first_not_of('-'));
  auto const advice = table.find(word.substr(0, word.find('=')));
  return advice == table.end() ? "" : "use " + advice->second;
}

/// Returns CLI11's message, with long words of the user shortened.
std::string message_of(CLI::ParseError const& error) {
  std::string const text = error.what();
  return shortened(text, 3 * most_shown);
}

}  // namespace

OptionForm form_of(Option const& option) {
  OptionForm form;
  form.name = option.name.front() == '!' ? option.name.substr(1) : option.name;
  form.is_operand = option.name.find("--") == std::string::npos;
  std::visit([&](auto const& value) { describe(form, value); }, option.value);
  if (!option.type.empty()) form.value = option.type;
  form.is_required = form.is_operand && !option.is_optional_operand && !form.is_repeatable;
  return form;
}

std::string synopsis_of(Command const& command) {
  std::string line = command.name + " [OPTIONS]";
  for (auto const& option : command.options) {
    auto const form = form_of(option);
    if (!form.is_operand) continue;
    line += " " + (form.is_required ? form.name : "[" + form.name + "]") +
            (form.is_repeatable ? "..." : "");
  }
  return line;
}

Command const* parse(std::vector<Command> const& commands, int argc, char** argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  check_not_empty(words);
  take_message_format(words);
  if (!words.empty()) check_command_word(words.front(), commands);
  bool const help = !words.empty() && words[0] == "help";
  if (help && (words.size() == 1 || is_command(words[1], commands))) {
    if (words.size() > 2) {
      usage_error("help " + words[1], "one word too many", "found '" + words[2] + "'",
                  "leave it out");
    }
    words = words.size() == 1 ? std::vector{help_option} : std::vector{words[1], help_option};
  }
  CLI::App app("Gravitational N-body simulation with verified conservation laws", "apsis");
  app.require_subcommand(1);
  auto const build = build_info();
  app.set_version_flag("-V,--version", "apsis " + build.version + " (" + build.git + ", " +
                                           build.backend + ", Kokkos " + build.kokkos + ")");
  std::map<Option const*, CLI::Option const*> declared;
  Command const* command = nullptr;
  for (auto const& each : commands) {
    auto* const subcommand = app.add_subcommand(each.name, each.doc);
    if (!words.empty() && words[0] == each.name) command = &each;
    for (auto const& option : each.options) {
      auto* const declared_option = std::visit(Declare{*subcommand, option}, option.value);
      declared[&option] = declared_option;
      if (form_of(option).is_required) declared_option->required();
    }
  }
  if (words.empty()) std::cout << app.help();  // the list of commands, before the error
  if (command != nullptr) mark_missing_numbers(words, *command);
  auto const original_words = words;
  try {
    std::reverse(words.begin(), words.end());  // order that CLI11 expects
    app.parse(std::move(words));
  } catch (CLI::Success const& success) {  // --help and --version are not errors
    app.exit(success);
    return nullptr;
  } catch (CLI::ParseError const& error) {
    for (auto const& word : original_words) {
      auto const advice = advice_for_sample_option(word);
      if (word.front() == '-' && !advice.empty()) {
        usage_error("command line", "unknown option " + word, "it is one of NVIDIA's sample",
                    advice);
      }
    }
    usage_error(
        "command line", message_of(error), "",
        "see " + program_command((command != nullptr ? command->name + " " : "") + "--help"));
  }
  for (auto const& each : commands) {
    if (app.got_subcommand(each.name)) command = &each;
  }
  if (command == nullptr) return nullptr;
  std::map<std::string, bool> is_set_by_name;
  for (auto const& option : command->options) {
    is_set_by_name[form_of(option).name] = declared.at(&option)->count() > 0;
  }
  check_effects(*command, is_set_by_name);
  return command;
}

}  // namespace apsis::cli
