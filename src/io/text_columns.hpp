// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/io/bodies_file.hpp>

#include <array>
#include <cstddef>
#include <string_view>

namespace apsis::io {

/// The columns of a table of bodies, in their order where nothing names them.
inline constexpr std::array<std::string_view, 7> text_columns{"mass", "x",  "y", "z",
                                                              "vx",   "vy", "vz"};
inline constexpr std::string_view id_column = "id";

/// What a comment above them begins with that says their units.
inline constexpr std::string_view units_mark = "units:";

}  // namespace apsis::io
