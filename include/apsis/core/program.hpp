// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace apsis {

/// Sets the name by which messages call this program. Call once, at the start of main.
///
/// It is the environment variable APSIS_STARTED_AS if a script that started the program has set it,
/// else `argv0`: the path that the user gave, or the name alone if the search path has it.
void name_program(char const* argv0);

/// A command of this program as a user may paste it into a shell, in quotes: with `words`
/// "list generators", 'build/openmp/apsis.openmp list generators'. Before name_program() the
/// program is called `apsis`.
std::string program_command(std::string const& words);

}  // namespace apsis
