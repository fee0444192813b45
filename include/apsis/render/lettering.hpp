// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/render/image.hpp>

#include <memory>
#include <string>

namespace apsis::render {

/// Writes text on pictures, in DejaVu Sans (FreeType). The font is embedded in the executable. Not
/// thread-safe.
class Lettering {
 public:
  Lettering();
  Lettering(Lettering&&) noexcept;
  ~Lettering();

  /// Point of a line of text that is placed at x.
  enum class Anchor { left, middle, right };

  /// Writes a line of UTF-8 text with its baseline at y and letters `height` pixels high. Text
  /// outside the picture is clipped. Letters missing from the font are drawn as its replacement
  /// glyph.
  void write(Image& image, std::string const& line, int x, int y, int height, Anchor anchor,
             Pixel colour);
  /// Returns the width of a line of text [pixels].
  int width_of(std::string const& line, int height);

 private:
  struct Font;
  std::unique_ptr<Font> font_;
};

}  // namespace apsis::render
