// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "render/camera.hpp"
#include "render/colour.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace apsis::render {

/// Picture in memory, row by row from the top.
struct Image {
  Size size{0, 0};
  std::vector<Pixel> pixels{};

  explicit Image(Size image_size)
      : size(image_size), pixels(static_cast<std::size_t>(image_size.pixels())) {}
  Pixel& pixel(int x, int y) {
    return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) +
                  static_cast<std::size_t>(x)];
  }
};

/// Texts stored with a picture: keyword (1 to 79 Latin letters) and UTF-8 text.
using Notes = std::vector<std::pair<std::string, std::string>>;

/// Returns the bytes of a PNG file (libpng), with its notes as compressed international text. Equal
/// arguments give equal bytes. Throws an internal error if libpng fails.
std::string png_of(Image const& image, Notes const& notes);

/// Throws a usage error if the name of a film has no extension of a film or no existing directory,
/// and an input/output error unless ffmpeg, which makes films, can be started.
void expect_film(std::filesystem::path const& film);

/// Makes a film from `pictures` pictures of a directory, `name`_000000.png and on, in the format
/// given by the film's extension (mp4, webm, gif ...). Throws an input/output error with the last
/// line that ffmpeg printed.
void make_film(std::filesystem::path const& directory, std::string const& name,
               std::size_t pictures, std::filesystem::path const& film, int pictures_per_second);

}  // namespace apsis::render
