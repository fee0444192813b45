// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/render/camera.hpp>
#include <apsis/render/colour.hpp>

#include <string>
#include <utility>
#include <vector>

namespace apsis::render {

/// A picture in memory, row by row from the top.
struct Image {
  Size size{0, 0};
  std::vector<Pixel> pixels{};

  explicit Image(Size of) : size(of), pixels(static_cast<std::size_t>(of.pixels())) {}
  Pixel& at(int x, int y) {
    return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) +
                  static_cast<std::size_t>(x)];
  }
};

/// Words that go with a picture: keyword (1 to 79 Latin letters) and UTF-8 text.
using Notes = std::vector<std::pair<std::string, std::string>>;

/// The bytes of a PNG file (libpng), with its notes as compressed international text. Equal
/// arguments give equal bytes. Throws an internal error if libpng fails.
std::string png_of(Image const& image, Notes const& notes);

}  // namespace apsis::render
