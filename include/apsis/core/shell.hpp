// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace apsis {

/// A word as a POSIX shell reads it back, whatever it contains: itself if it has letters, digits
/// and `_./-+,:@%=` only, else in single quotes. A word with characters that a message cannot show
/// (a newline, control characters) is written as `$'...'`, which bash, zsh and POSIX 2024 know.
std::string shell_quote(std::string const& word);

/// A path as an argument of a command: shell_quote(), and `./` before a leading `-`.
std::string shell_path(std::string const& path);

/// A command within the sentence of a message: in quotes, as 'apsis list', unless the command has
/// quotes of its own. A user may then paste it with or without the quotes around it.
std::string quoted_command(std::string const& command);

}  // namespace apsis
