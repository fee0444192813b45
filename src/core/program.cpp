// SPDX-License-Identifier: Apache-2.0
#include "core/program.hpp"

#include <apsis/core/text.hpp>

#include <cstdlib>

namespace apsis {

namespace {

std::string escaped(std::string const& word) {
  std::string quoted = "$'";
  for (char const letter : word) {
    auto const code = static_cast<unsigned char>(letter);
    if (letter == '\'' || letter == '\\') {
      quoted += std::string("\\") + letter;
    } else if (code < 0x20 || code >= 0x7f) {
      quoted += formatted("\\%03o", static_cast<unsigned>(code));
    } else {
      quoted += letter;
    }
  }
  return quoted + "'";
}

}  // namespace

std::string shell_quote(std::string const& word) {
  bool const plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_./-+,:@%=") == std::string::npos;
  if (plain) return word;
  if (printable(word) != word) return escaped(word);
  std::string quoted = "'";
  for (char const letter : word) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}

std::string shell_path(std::string const& path) {
  return shell_quote(path.starts_with('-') ? "./" + path : path);
}

std::string quoted_command(std::string const& command) {
  return command.find('\'') == std::string::npos ? "'" + command + "'" : command;
}

namespace {

std::string& program() {
  static std::string name = "apsis";
  return name;
}

}  // namespace

void name_program(char const* argv0) {
  auto const* const script = std::getenv("APSIS_STARTED_AS");
  std::string const name = script != nullptr ? script : argv0 != nullptr ? argv0 : "";
  if (!name.empty()) program() = shell_path(name);
}

std::string program_command(std::string const& words) {
  return quoted_command(program() + " " + words);
}

}  // namespace apsis
