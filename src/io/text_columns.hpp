// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/io/bodies_file.hpp>

#include <array>
#include <cstddef>
#include <string_view>

namespace apsis::io {

/// The columns of a table of bodies, in the default order.
inline constexpr std::array<std::string_view, 7> text_columns{"mass", "x",  "y", "z",
                                                              "vx",   "vy", "vz"};
inline constexpr std::string_view id_column = "id";

/// Beginning of a comment that states the units.
inline constexpr std::string_view units_mark = "units:";

}  // namespace apsis::io
