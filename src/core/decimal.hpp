// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

/// Reading of decimal numbers in decks, on the command line and in environment variables. All use
/// the grammar of JSON (RFC 8259, section 6):
///
///     integer  -?(0|[1-9][0-9]*)
///     number   integer(\.[0-9]+)?([eE][+-]?[0-9]+)?
///
/// No plus sign, leading zero, hexadecimal or octal digit, separator, blank, infinity or NaN.
namespace apsis {

enum class Numeral {
  good,
  malformed,    ///< violates the grammar above
  out_of_range  ///< follows the grammar, but does not fit the type
};

/// Parses the whole `word`; `value` changes only if it is `good`. Unsigned numbers have no sign.
Numeral read_decimal(std::string_view word, std::uint64_t& value);
Numeral read_decimal(std::string_view word, std::int64_t& value);
Numeral read_decimal(std::string_view word, double& value);

}  // namespace apsis
