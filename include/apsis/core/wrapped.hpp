// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace apsis {

/// Breaks text at blanks into lines of at most `columns` characters, each indented by `indent`
/// blanks and ended by a line feed. A longer word has a line of its own.
std::string wrapped(std::string const& text, std::size_t columns, std::size_t indent);

}  // namespace apsis
