// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

namespace apsis::testing {

/// Whether `part` occurs in `text` (and if not, says what the text is).
inline bool contains(std::string const& text, std::string const& part) {
  bool const found = text.find(part) != std::string::npos;
  if (!found) MESSAGE("'", part, "' is not in: ", text);
  return found;
}

/// How often `part` occurs in `text`.
inline std::size_t occurrences(std::string const& text, std::string const& part) {
  std::size_t number = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++number;
  return number;
}

}  // namespace apsis::testing
