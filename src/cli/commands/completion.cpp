// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include <apsis/core/machine.hpp>
#include <apsis/core/registry.hpp>
#include <apsis/core/text.hpp>
#include <apsis/deck/configuration.hpp>

#include <algorithm>
#include <array>
#include <iostream>
#include <set>

namespace apsis::cli {

namespace {

enum class Source { none, words, files, directories, keys };

struct CompletedOption {
  OptionForm form;
  std::string doc;
  Source source;
  std::string words;  ///< with blanks between them
};

std::string joined_with_blanks(std::vector<std::string> const& words) {
  std::string line;
  for (auto const& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

CompletedOption completed(Option const& option) {
  CompletedOption result{form_of(option), option.doc, Source::none,
                         joined_with_blanks(option.choices)};
  auto const& form = result.form;
  auto const& name = form.is_operand ? form.name : form.value;
  bool const is_file =
      name == "DECK" || name == "PATH" || name == "IN" || name == "OUT" || name == "FILE";
  result.source = !result.words.empty()  ? Source::words
                  : name == "PATH=VALUE" ? Source::keys
                  : is_file              ? Source::files
                  : name == "DIR"        ? Source::directories
                                         : Source::none;
  return result;
}

std::vector<CompletedOption> completed(Command const& command) {
  std::vector<CompletedOption> options;
  for (auto const& option : command.options) options.push_back(completed(option));
  return options;
}

void add_keys(std::vector<Form> const& forms, std::string const& path,
              std::set<std::string>& keys) {
  for (auto const& form : forms) {
    if (!form.choice.empty()) keys.insert(path + form.selector + "=");
    for (auto const& parameter : form.parameters) {
      if (parameter.kind == Kind::object) {
        add_keys(parameter.forms, path + parameter.name + ".", keys);
      } else if (parameter.kind != Kind::records) {
        keys.insert(path + parameter.name + "=");
      }
    }
  }
}

/// Returns the paths of all keys outside lists, each with '=': "gravity.softening=".
std::string deck_keys() {
  std::set<std::string> keys;
  for (auto const& section : deck::deck_table().sections) {
    add_keys(section.forms, section.name + ".", keys);
  }
  for (auto const& parameter : deck::deck_table().top) {
    if (parameter.kind != Kind::records) keys.insert(parameter.name + "=");
  }
  return joined_with_blanks({keys.begin(), keys.end()});
}

std::string command_names(std::vector<Command> const& commands) {
  std::vector<std::string> names;
  for (auto const& command : commands) names.push_back(command.name);
  return joined_with_blanks(names);
}

std::string programs() {
  return "apsis apsis." + build_info().backend;
}

/// Returns what the operands of a command are completed with.
CompletedOption const* operand_of(std::vector<CompletedOption> const& options) {
  auto const operand =
      std::find_if(options.begin(), options.end(),
                   [](CompletedOption const& option) { return option.form.is_operand; });
  return operand == options.end() ? nullptr : &*operand;
}

/// Completions of a value in a shell, in the order of Source; '%' stands for its words.
using Actions = std::array<std::string_view, 5>;

std::string action_of(CompletedOption const& option, Actions const& actions,
                      std::string const& words) {
  std::string action(actions.at(static_cast<std::size_t>(option.source)));
  auto const place = action.find('%');
  return place == std::string::npos ? action : action.replace(place, 1, words);
}

/// Returns text with a backslash before each of these characters.
std::string escaped(std::string const& text, std::string_view characters) {
  std::string result;
  for (char const c : text) {
    if (characters.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string bash_action(CompletedOption const& option) {
  return action_of(
      option,
      {"COMPREPLY=()", "_apsis_words '%'", "_apsis_files -f", "_apsis_files -d", "_apsis_keys"},
      option.words);
}

std::string bash_script(std::vector<Command> const& commands) {
  std::string values, options, operands;
  for (auto const& command : commands) {
    auto const completed_options = completed(command);
    std::string names = "--help";
    for (auto const& option : completed_options) {
      if (option.form.is_operand) continue;
      names += " " + option.form.name;
      // The number of an option that may stand alone is not completed.
      if (option.form.value.empty() || option.form.value.front() == '[') continue;
      values += "    '" + command.name + " " + option.form.name + "') " + bash_action(option) +
                "; return ;;\n";
    }
    options += "    " + command.name + ") _apsis_words '" + names + "' ;;\n";
    if (auto const* const operand = operand_of(completed_options)) {
      operands += "    " + command.name + ") " + bash_action(*operand) + " ;;\n";
    }
  }
  return R"(# Completion of apsis in bash. Load it with: source <(apsis completion bash)
_apsis_words() { COMPREPLY=($(compgen -W "$1" -- "$word")); }
_apsis_files() {
  compopt -o filenames 2>/dev/null
  local line
  COMPREPLY=()
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$1" -- "$word")
}
_apsis_keys() {
  compopt -o nospace 2>/dev/null
  COMPREPLY=($(compgen -W ')" +
         deck_keys() + R"(' -- "$word"))
}
_apsis() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= k
  COMPREPLY=()
  for ((k = 1; k < COMP_CWORD; ++k)); do
    case " )" +
         command_names(commands) +
         R"( " in *" ${COMP_WORDS[k]} "*) command=${COMP_WORDS[k]}; break ;; esac
  done
  if [[ -z $command ]]; then
    _apsis_words ')" +
         command_names(commands) + R"( --help --version'
    return
  fi
  case "$command $before" in
)" + values +
         R"(  esac
  if [[ $word == -* ]]; then
    case $command in
)" + options +
         R"(    esac
    return
  fi
  case $command in
)" + operands +
         R"(  esac
}
complete -F _apsis )" +
         programs() + "\n";
}

/// Text within single quotes and within the brackets or before the colons of a specification.
std::string zsh_text(std::string const& text) {
  std::string quoted;
  for (char const c : escaped(text, "[]:\\")) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted;
}

std::string zsh_action(CompletedOption const& option) {
  return action_of(option, {" ", "(%)", "_files", "_files -/", "_apsis_keys"}, option.words);
}

std::string zsh_script(std::vector<Command> const& commands) {
  std::string names, cases;
  for (auto const& command : commands) {
    names += "    '" + command.name + ":" + zsh_text(command.doc) + "'\n";
    cases += "    " + command.name + ") _arguments";
    for (auto const& option : completed(command)) {
      auto const& form = option.form;
      auto const value = ":" + zsh_text(form.value) + ":" + zsh_action(option);
      if (form.is_operand) {
        cases += std::string(" '") + (form.is_repeatable ? "*" : "") + ":" + zsh_text(form.name) +
                 ":" + zsh_action(option) + "'";
        continue;
      }
      bool const is_optional = !form.value.empty() && form.value.front() == '[';
      cases += std::string(" '") + (form.is_repeatable ? "*" : "") + form.name + "[" +
               zsh_text(option.doc) + "]" +
               (form.value.empty() ? "" : (is_optional ? ":" : "") + value) + "'";
    }
    cases += " '--help[Print the help of the command]' ;;\n";
  }
  return "#compdef " + programs() + R"(
# Completion of apsis in zsh. Put it in a directory of $fpath as _apsis.
_apsis_keys() {
  local -a keys
  keys=()" +
         deck_keys() + R"()
  compadd -S '' -- $keys
}
_apsis() {
  local -a commands
  commands=(
)" + names +
         R"(  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
)" + cases +
         R"(  esac
}
if [ "$funcstack[1]" = _apsis ]; then _apsis "$@"; else compdef _apsis )" +
         programs() + "; fi\n";
}

std::string fish_text(std::string const& text) {
  return "'" + escaped(text, "'\\") + "'";
}

/// Returns the arguments of `complete` that say where values come from.
std::string fish_action(CompletedOption const& option) {
  return action_of(option,
                   {" -x", " -x -a %", " -r -F", " -x -a '(__fish_complete_directories)'",
                    " -x -a \"$__apsis_keys\""},
                   fish_text(option.words));
}

std::string fish_script(std::vector<Command> const& commands) {
  std::string lines;
  for (auto const& command : commands) {
    lines += "complete -c $program -n __fish_use_subcommand -a " + command.name + " -d " +
             fish_text(command.doc) + "\n";
    auto const head = "complete -c $program -n '__fish_seen_subcommand_from " + command.name + "'";
    for (auto const& option : completed(command)) {
      auto const& form = option.form;
      if (form.is_operand) {
        if (option.source == Source::files) lines += head + " -F\n";
        if (option.source == Source::words) lines += head + " -a " + fish_text(option.words) + "\n";
        continue;
      }
      bool const has_value = !form.value.empty() && form.value.front() != '[';
      lines += head + " -l " + form.name.substr(2) + (has_value ? fish_action(option) : "") +
               " -d " + fish_text(option.doc) + "\n";
    }
  }
  return "# Completion of apsis in fish. Load it with: apsis completion fish | source\n"
         "set -g __apsis_keys " +
         deck_keys() + "\nfor program in " + programs() + "\n" + "complete -c $program -f\n" +
         lines + "end\n";
}

struct Shell {
  std::string name;
  std::string (*script)(std::vector<Command> const& commands);
};

Registry<Shell> const& shells() {
  static Registry<Shell> const table{
      "shell", {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}}};
  return table;
}

}  // namespace

Command completion_command(CommandTable const& table) {
  auto const name = std::make_shared<std::string>();
  return {"completion",
          "Print a script that completes command lines of apsis in a shell",
          {Option{"SHELL", "bash, zsh or fish", name.get()}.one_of(shells().names())},
          [name, table] {
            auto const* const shell = shells().find(*name);
            if (shell == nullptr) {
              usage_error(*name, "has no completion", "",
                          "use one of " + quoted_list(shells().names()));
            }
            std::cout << shell->script(table());
            return ExitStatus::conserved;
          },
          true};
}

}  // namespace apsis::cli
