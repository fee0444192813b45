// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace apsis::cli {

/// Number of columns of a terminal; empty if the descriptor is no terminal, or one that does not
/// say.
std::optional<int> terminal_columns(int descriptor);

/// Whether text for a descriptor may have colours: it is a terminal other than "dumb", and the
/// environment variable NO_COLOR is empty or absent (no-color.org).
bool may_have_colours(int descriptor);

enum class Tone { plain, good, doubtful, bad };

/// Returns text in green, yellow or red where the descriptor may have colours, otherwise unchanged,
/// as plain text is.
std::string toned(std::string const& text, Tone tone, int descriptor);

/// Returns text in which the rest of the first line that begins with `key` has a tone.
std::string with_toned_line(std::string const& text, std::string const& key, Tone tone,
                            int descriptor);

}  // namespace apsis::cli
