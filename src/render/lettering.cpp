// SPDX-License-Identifier: Apache-2.0
#include "render/caption.hpp"
#include <apsis/core/error.hpp>

#include <ft2build.h>
#include FT_FREETYPE_H
#include "core/embedded.hpp"

namespace apsis::render {

/// Returns the embedded font, which is one file.
std::span<Embedded const> font_files();

namespace {

void expect(FT_Error error) {
  APSIS_EXPECT(error == 0, "FreeType: error " + std::to_string(error));
}

constexpr char32_t no_letter = 0xFFFD;

/// Removes the next letter from a UTF-8 line, which must not be empty, and returns it.
char32_t next_letter(std::string_view& line) {
  auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(line[i]); };
  auto const first = byte(0);
  std::size_t const more = first < 0x80 ? 0 : first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
  char32_t letter = first < 0x80 ? first : first & (0x3FU >> more);
  bool good = first < 0x80 || (first >= 0xC2 && first <= 0xF4);
  std::size_t used = 1;
  for (; good && used <= more; ++used) {
    if (used >= line.size() || (byte(used) & 0xC0U) != 0x80U) {
      good = false;
      break;
    }
    letter = letter << 6U | (byte(used) & 0x3FU);
  }
  line.remove_prefix(used);
  return good ? letter : no_letter;
}

}  // namespace

struct Lettering::Font {
  FT_Library library = nullptr;
  FT_Face face = nullptr;

  ~Font() {
    if (face != nullptr) FT_Done_Face(face);
    if (library != nullptr) FT_Done_FreeType(library);
  }

  /// Calls draw(glyph, pen position [pixels]) for each letter of a line; returns the width
  /// [pixels].
  template <class Draw>
  int walk(std::string_view line, int height, Draw const& draw) {
    expect(FT_Set_Pixel_Sizes(face, 0, static_cast<FT_UInt>(height)));
    FT_Pos pen = 0;  // 1/64 pixels
    FT_UInt before = 0;
    while (!line.empty()) {
      auto const glyph = FT_Get_Char_Index(face, next_letter(line));
      FT_Vector kerning{};
      if (before != 0) FT_Get_Kerning(face, before, glyph, FT_KERNING_DEFAULT, &kerning);
      pen += kerning.x;
      expect(FT_Load_Glyph(face, glyph, FT_LOAD_RENDER | FT_LOAD_NO_HINTING));
      draw(*face->glyph, static_cast<int>(pen >> 6));
      pen += face->glyph->advance.x;
      before = glyph;
    }
    return static_cast<int>((pen + 63) >> 6);
  }
};

Lettering::Lettering() : font_(std::make_unique<Font>()) {
  expect(FT_Init_FreeType(&font_->library));
  auto const bytes = font_files().front().bytes;
  expect(FT_New_Memory_Face(font_->library, bytes.data(), static_cast<FT_Long>(bytes.size()), 0,
                            &font_->face));
}

Lettering::Lettering(Lettering&&) noexcept = default;
Lettering::~Lettering() = default;

int Lettering::width_of(std::string const& line, int height) {
  return font_->walk(line, height, [](FT_GlyphSlotRec const&, int) {});
}

void Lettering::write(Image& image, std::string const& line, int x, int y, int height,
                      Anchor anchor, Pixel colour) {
  int const width = anchor == Anchor::left ? 0 : width_of(line, height);
  int const left = x - (anchor == Anchor::right ? width : width / 2);
  font_->walk(line, height, [&](FT_GlyphSlotRec const& glyph, int pen) {
    auto const& bitmap = glyph.bitmap;
    for (unsigned row = 0; row < bitmap.rows; ++row) {
      int const pixel_y = y - glyph.bitmap_top + static_cast<int>(row);
      for (unsigned column = 0; column < bitmap.width; ++column) {
        int const pixel_x = left + pen + glyph.bitmap_left + static_cast<int>(column);
        bool const inside = pixel_x >= 0 && pixel_x < image.size.width && pixel_y >= 0 &&
                            pixel_y < image.size.height;
        if (!inside) continue;
        int const covered = bitmap.buffer[static_cast<std::ptrdiff_t>(row) * bitmap.pitch + column];
        auto& pixel = image.pixel(pixel_x, pixel_y);
        for (std::size_t c = 0; c < 3; ++c) {
          pixel[c] = static_cast<std::uint8_t>(pixel[c] + (colour[c] - pixel[c]) * covered / 255);
        }
      }
    }
  });
}

}  // namespace apsis::render
