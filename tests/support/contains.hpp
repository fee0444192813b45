// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <string>

namespace apsis::testing {

/// Whether `part` occurs in `text` (and if not, says what the text is).
inline bool contains(std::string const& text, std::string const& part) {
  bool const found = text.find(part) != std::string::npos;
  if (!found) MESSAGE("'", part, "' is not in: ", text);
  return found;
}

}  // namespace apsis::testing
