// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/render/image.hpp>

#include <memory>
#include <string>

namespace apsis::render {

/// Writes on pictures, in DejaVu Sans (FreeType), which the executable carries with it. Not for
/// two threads at once.
class Lettering {
 public:
  Lettering();
  Lettering(Lettering&&) noexcept;
  ~Lettering();

  /// Where a line is fastened to its place.
  enum class Anchor { left, middle, right };

  /// Writes a line of UTF-8 whose letters stand at y, `height` pixels high; what leaves the picture
  /// is cut off. Letters that the font does not have become its sign for that.
  void write(Image& image, std::string const& line, int x, int y, int height, Anchor anchor,
             Pixel colour);
  /// How wide it would be [pixels].
  int width_of(std::string const& line, int height);

 private:
  struct Font;
  std::unique_ptr<Font> font_;
};

}  // namespace apsis::render
