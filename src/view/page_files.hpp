// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace apsis::view {

struct Embedded {
  std::string_view name;
  std::span<unsigned char const> bytes;
};

/// The files of src/view/page, which the build puts into the library (cmake/embed.cmake).
std::span<Embedded const> page_files();

}  // namespace apsis::view
