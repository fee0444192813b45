// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace apsis {

/// The shortest decimal that reads back as the same double.
std::string shortest(double value);

/// printf into a string.
[[gnu::format(printf, 1, 2)]] std::string formatted(char const* format, ...);

/// The first `most` bytes at most, with "..." if that is not all; no UTF-8 character is cut. For
/// what a message shows of something that may be as long as a file.
std::string shortened(std::string_view text, std::size_t most);

/// `'a', 'b', 'c'`.
std::string quoted_list(std::vector<std::string> const& words);

/// The optimal-string-alignment distance (Damerau 1964): insertions, deletions, substitutions and
/// swaps of neighbours, each counting one. O(|a| |b|).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to a mistyped word, or nothing if none is within max(2, length / 3) edits.
std::string nearest(std::string_view word, std::vector<std::string> const& candidates);

}  // namespace apsis
