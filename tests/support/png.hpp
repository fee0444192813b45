// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "render/image.hpp"

#include <doctest/doctest.h>

#include <png.h>
#include <string>

namespace apsis::testing {

/// Returns the pixels of a PNG, decoded with libpng's simple interface.
inline render::Image decoded(std::string const& bytes) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  REQUIRE(png_image_begin_read_from_memory(&header, bytes.data(), bytes.size()) != 0);
  header.format = PNG_FORMAT_RGB;
  render::Image image({static_cast<int>(header.width), static_cast<int>(header.height)});
  REQUIRE(png_image_finish_read(&header, nullptr, image.pixels.data(), 0, nullptr) != 0);
  return image;
}

}  // namespace apsis::testing
