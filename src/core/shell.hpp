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

}  // namespace apsis
