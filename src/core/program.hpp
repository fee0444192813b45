// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace apsis {

/// Sets the program name used in messages. Call once, at the start of main.
///
/// The name is the environment variable APSIS_STARTED_AS if a script that started the program has
/// set it, otherwise `argv0`: the path as the user typed it.
void name_program(char const* argv0);

/// A command of this program in quotes, ready to be pasted into a shell. Example: with `words`
/// "list generators" it is 'build/openmp/apsis.openmp list generators'. Before name_program() the
/// name is `apsis`.
std::string program_command(std::string const& words);

}  // namespace apsis
