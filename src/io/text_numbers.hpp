// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

/// Numbers as programs write them into tables.
namespace apsis::io {

enum class Fault { none, not_a_number, out_of_range };

/// A decimal number, also with a plus sign or Fortran's D for double precision.
Fault parse(std::string_view word, double& value);

/// A whole number, also in the form that numpy writes all numbers of a table in: 1.000e+00.
Fault parse(std::string_view word, std::uint64_t& value);

}  // namespace apsis::io
