// SPDX-License-Identifier: Apache-2.0
#include "apsis/core/program.hpp"

#include "shell.hpp"

#include <cstdlib>

namespace apsis {

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
