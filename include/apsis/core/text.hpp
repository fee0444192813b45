// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace apsis {

/// The shortest decimal representation that reads back as the same double.
std::string shortest(double value);

/// Formats into a string as printf does.
[[gnu::format(printf, 1, 2)]] std::string formatted(char const* format, ...);

/// A wall time for people: "3 ms", "40 s", "25 min", "6.2 h", "12 days".
std::string duration_text(double seconds);

/// At most the first `most` bytes of the text, followed by "..." if it is longer; no UTF-8
/// character is split. For texts of unbounded length in messages.
std::string shortened(std::string_view text, std::size_t most);

/// The text as one line that is safe on a terminal: control characters, characters that change the
/// writing direction, and bytes that are not valid UTF-8 become '?'.
std::string printable(std::string_view text);

/// `'a', 'b', 'c'`.
std::string quoted_list(std::vector<std::string> const& words);

/// The optimal-string-alignment distance (Damerau 1964): number of insertions, deletions,
/// substitutions and swaps of neighbouring letters. Cost O(|a| |b|).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The text without white space at both ends.
std::string_view trimmed(std::string_view text);

/// The words between commas, without white space at their ends: "A, B" gives "A" and "B".
std::vector<std::string> split_at_commas(std::string_view text);

/// The word with ASCII capitals converted to lower case.
std::string lower_case(std::string_view word);

/// The value of a word that is a positive finite number; nothing for any other word.
std::optional<double> positive_number_in(std::string_view word);

/// The word in lower case, without '_', '-' and blanks. For comparisons that ignore spelling.
std::string normalized_word(std::string_view word);

/// The candidate nearest to a mistyped word. A candidate qualifies if it is within
/// max(2, length / 3) edits, or if one of the two words begins with the other. Empty if none does.
std::string nearest(std::string_view word, std::vector<std::string> const& candidates);

/// Breaks text at blanks into lines of at most `columns` characters, each indented by `indent`
/// blanks and ended by a line feed. A longer word has a line of its own.
std::string wrapped(std::string const& text, std::size_t columns, std::size_t indent);

}  // namespace apsis
