// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "render/image.hpp"
#include <apsis/core/units.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace apsis::render {

/// Writes text on pictures, in DejaVu Sans, which is embedded (FreeType). Not thread-safe.
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

struct Shot;

/// Values that the first and the last colour of a picture stand for.
struct ColourRange {
  double least = 0.0, greatest = 0.0;  ///< [dimension]
  Dimension dimension;
  bool logarithmic = false;
};

/// Meaning of the colours of species or of bodies.
struct Legend {
  struct Entry {
    Pixel colour;
    std::string text;
  };
  std::vector<Entry> entries{};
  /// Quantity of which the entries are all values in order; empty if they are names.
  std::string quantity{};
};

/// Texts and numbers that accompany a picture.
struct Caption {
  std::string title;
  std::string deck;  ///< resolved deck, as JSON
  Units units;
  double time = 0.0;  ///< [time]
  std::uint64_t step = 0;
  std::uint64_t bodies = 0;
  Camera camera;  ///< camera that took the picture
  std::optional<ColourRange> colours{};
  std::string palette{};  ///< of `colours`
  Legend legend{};
};

/// Writes title, time, a scale bar of a round length, and the range or the legend of the colours on
/// a picture. The scale bar is valid at the distance of the camera's target. A legend has as many
/// entries as fit above the scale bar.
void write_caption(Image& image, Lettering& lettering, Caption const& caption);

/// Notes of the PNG file: title, program, deck, time, step, number of bodies, camera.
Notes notes_of(Caption const& caption, Shot const& shot);

}  // namespace apsis::render
