// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

/// The decimal numbers of decks, of the command line and of the environment. One grammar for all of
/// them, that of JSON (RFC 8259, section 6):
///
///     integer  -?(0|[1-9][0-9]*)
///     number   integer(\.[0-9]+)?([eE][+-]?[0-9]+)?
///
/// No plus sign, leading zero, hexadecimal or octal digit, separator, blank, infinity or NaN.
namespace apsis {

enum class Numeral {
  good,
  malformed,    ///< not of the grammar above
  out_of_range  ///< of the grammar, but the type cannot hold it
};

/// Reads all of `word`. `value` changes only if the result is `good`. An unsigned number has no
/// sign.
Numeral read_decimal(std::string_view word, std::uint64_t& value);
Numeral read_decimal(std::string_view word, std::int64_t& value);
Numeral read_decimal(std::string_view word, double& value);

}  // namespace apsis
