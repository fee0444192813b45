// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

/// Parsing of numbers in text tables.
namespace apsis::io {

enum class Fault { none, not_a_number, out_of_range };

/// Parses a decimal number. Accepts a plus sign, and the letter D of Fortran in the exponent.
Fault parse(std::string_view word, double& value);

/// Parses an integer. Accepts the floating-point form that numpy writes: 1.000e+00.
Fault parse(std::string_view word, std::uint64_t& value);

}  // namespace apsis::io
