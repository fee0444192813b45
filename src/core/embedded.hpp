// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace apsis {

/// A file that the build embedded in the library (cmake/sources.cmake).
struct Embedded {
  std::string_view name;  ///< file name without directory
  std::span<unsigned char const> bytes;
};

}  // namespace apsis
