// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

namespace apsis::testing {

/// Whether `part` occurs in `text`; prints the text if it does not.
inline bool contains(std::string const& text, std::string const& part) {
  bool const is_contained = text.find(part) != std::string::npos;
  if (!is_contained) MESSAGE("'", part, "' is not in: ", text);
  return is_contained;
}

/// Returns the number of occurrences of `part` in `text`.
inline std::size_t occurrences(std::string const& text, std::string const& part) {
  std::size_t number = 0;
  for (auto position = text.find(part); position != std::string::npos;
       position = text.find(part, position + 1))
    ++number;
  return number;
}

}  // namespace apsis::testing
