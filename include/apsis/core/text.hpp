// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace apsis {

/// The shortest decimal that reads back as the same double.
std::string shortest(double value);

/// printf into a string.
[[gnu::format(printf, 1, 2)]] std::string formatted(char const* format, ...);

/// A time of the clock as somebody who waits says it: "3 ms", "40 s", "25 min", "6.2 h", "12 days".
std::string spoken_time(double seconds);

/// The first `most` bytes at most, with "..." if that is not all; no UTF-8 character is cut. For
/// what a message shows of something that may be as long as a file.
std::string shortened(std::string_view text, std::size_t most);

/// A user's text in one line that does nothing to a terminal: control characters, what turns the
/// direction of writing, and bytes that are no UTF-8 become '?'.
std::string printable(std::string_view text);

/// `'a', 'b', 'c'`.
std::string quoted_list(std::vector<std::string> const& words);

/// The optimal-string-alignment distance (Damerau 1964): insertions, deletions, substitutions and
/// swaps of neighbours, each counting one. O(|a| |b|).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Without blanks, tabs and the like at both ends.
std::string_view trimmed(std::string_view text);

/// In small letters, where they are those of ASCII.
std::string lower_case(std::string_view word);

/// A positive finite number that is all of the word; nothing of any other.
std::optional<double> positive_number_in(std::string_view word);

/// Without what people write differently: capitals, '_', '-' and blanks.
std::string plain_word(std::string_view word);

/// The candidate nearest to a mistyped word, or nothing if none is within max(2, length / 3) edits,
/// nor the beginning of it, nor begun by it.
std::string nearest(std::string_view word, std::vector<std::string> const& candidates);

}  // namespace apsis
