// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace apsis {

/// A file that the build put into the library (cmake/embed.cmake).
struct Embedded {
  std::string_view name;  ///< without a path
  std::span<unsigned char const> bytes;
};

}  // namespace apsis
