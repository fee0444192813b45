// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace apsis::view {

struct PageFile {
  std::string_view content_type;
  std::span<unsigned char const> bytes;
};

/// Returns the file of the page at a path such as "/" or "/page.js"; null if there is none. Always
/// valid.
PageFile const* page_file(std::string_view path);

}  // namespace apsis::view
