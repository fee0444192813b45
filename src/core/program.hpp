// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace apsis {

/// Quotes a word for a POSIX shell: unchanged if it consists of letters, digits and `_./-+,:@%=`,
/// otherwise in single quotes. A word with characters that a message cannot show (a newline,
/// control characters) is written as `$'...'`, which bash, zsh and POSIX 2024 support.
std::string shell_quote(std::string const& word);

/// Quotes a path as an argument of a command: shell_quote(), with `./` before a leading `-`.
std::string shell_path(std::string const& path);

/// Quotes a command within the sentence of a message, as in 'apsis list', unless the command itself
/// contains quotes. Users may paste it with or without the quotes around it.
std::string quoted_command(std::string const& command);

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
