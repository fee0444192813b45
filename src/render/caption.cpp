// SPDX-License-Identifier: Apache-2.0
#include "render/caption.hpp"

#include "files/record.hpp"
#include "render/image.hpp"
#include <apsis/core/error.hpp>
#include <apsis/core/machine.hpp>
#include <apsis/core/text.hpp>
#include <apsis/render/shot.hpp>

#include <algorithm>
#include <cmath>
#include <ft2build.h>
#include FT_FREETYPE_H
#include "core/embedded.hpp"

namespace apsis::render {

namespace {

constexpr Pixel ink{225, 225, 225};

/// Height of letters [pixels], also the margin.
int letters_of(Size size) {
  return std::max(10, size.height / 36);
}

/// Height of the letters of a legend [pixels].
int small_letters(int letters) {
  return std::max(10, 4 * letters / 5);
}

/// Returns the largest number of the form 1, 2 or 5 times a power of ten that is at most `most`.
double round_below(double most) {
  double const power = std::pow(10.0, std::floor(std::log10(most)));
  double const share = most / power;
  return (share >= 5.0 ? 5.0 : share >= 2.0 ? 2.0 : 1.0) * power;
}

/// Writes text with a dark edge, so that it is readable on bright parts of a picture.
void write_edged(Image& image, Lettering& lettering, std::string const& line, int x, int y,
                 int letters, Lettering::Anchor anchor) {
  int const edge = std::max(1, letters / 12);
  for (int dy = -edge; dy <= edge; dy += edge) {
    for (int dx = -edge; dx <= edge; dx += edge) {
      if (dx != 0 || dy != 0) {
        lettering.write(image, line, x + dx, y + dy, letters, anchor, Pixel{});
      }
    }
  }
  lettering.write(image, line, x, y, letters, anchor, ink);
}

/// Fills a rectangle, clipped at the edges; `colour(x)` is the pixel of a column.
template <class Colour>
void fill(Image& image, int left, int right, int top, int bottom, Colour const& colour) {
  auto const [width, height] = image.size;
  for (int y = std::max(0, top); y < std::min(height, bottom); ++y) {
    for (int x = std::max(0, left); x < std::min(width, right); ++x) image.pixel(x, y) = colour(x);
  }
}

/// Draws a bar of colours at the top right, with the values at both ends and their quantity.
void write_bar(Image& image, Lettering& lettering, std::vector<Pixel> const& colours,
               std::string const& first, std::string const& quantity, std::string const& last) {
  auto const letters = letters_of(image.size), margin = letters;
  int const right = image.size.width - margin, left = right - image.size.width / 5;
  int const top = margin, bottom = margin + letters / 2;
  fill(image, left - 1, right + 1, top - 1, bottom + 1, [](int) { return Pixel{}; });
  fill(image, left, right, top, bottom, [&](int x) {
    return colours[static_cast<std::size_t>(x - left) * colours.size() /
                   static_cast<std::size_t>(std::max(1, right - left))];
  });
  int const base = bottom + letters + letters / 3, small = small_letters(letters);
  write_edged(image, lettering, first, left, base, small, Lettering::Anchor::left);
  write_edged(image, lettering, quantity, (left + right) / 2, base + small + small / 3, small,
              Lettering::Anchor::middle);
  write_edged(image, lettering, last, right, base, small, Lettering::Anchor::right);
}

void write_range(Image& image, Lettering& lettering, Caption const& caption) {
  auto const& range = *caption.colours;
  auto const quantity = std::string(range.dimension == dimension::mass ? "mass" : "speed") +
                        (range.logarithmic ? " (log)" : "");
  write_bar(image, lettering, value_colours(caption.palette), formatted("%.3g", range.least),
            quantity,
            caption.units.with_short_unit(formatted("%.3g", range.greatest), range.dimension));
}

std::string cut_to(Lettering& lettering, std::string const& text, int width, int letters) {
  if (lettering.width_of(text, letters) <= width) return text;
  for (std::size_t length = text.size(); length > 1; --length) {
    auto const cut = shortened(text, length - 1);
    if (lettering.width_of(cut, letters) <= width) return cut;
  }
  return "";
}

/// Draws a list of colours with their names at the top right, of at most a quarter of the width,
/// and below a title that reaches so far.
void write_list(Image& image, Lettering& lettering, Caption const& caption) {
  auto const [width, height] = image.size;
  int const letters = letters_of(image.size), margin = letters, small = small_letters(letters);
  int const line = small + small / 2, box = (2 * small) / 3;
  bool const is_below_title =
      lettering.width_of(caption.title, letters) > width - width / 4 - 3 * margin;
  int const top = is_below_title ? margin + line : margin;
  auto const room = static_cast<std::size_t>(std::max(0, height - top - 3 * margin - line) / line);
  auto const& entries = caption.legend.entries;
  bool const are_all = entries.size() <= room;
  if (!are_all && room < 2) return;
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < (are_all ? entries.size() : room - 1); ++k) {
    texts.push_back(cut_to(lettering, entries[k].text, width / 4, small));
  }
  if (!are_all) texts.push_back("and " + std::to_string(entries.size() + 1 - room) + " more");
  int widest = 0;
  for (auto const& text : texts) widest = std::max(widest, lettering.width_of(text, small));
  int const left = width - margin - widest;
  for (std::size_t k = 0; k < texts.size(); ++k) {
    int const base = top + letters + static_cast<int>(k) * line;
    bool const is_entry = are_all || k + 1 < texts.size();
    if (is_entry) {
      int const right = left - small / 2, bottom = base;
      fill(image, right - box - 1, right + 1, bottom - box - 1, bottom + 1,
           [](int) { return Pixel{}; });
      fill(image, right - box, right, bottom - box, bottom, [&](int) { return entries[k].colour; });
    }
    write_edged(image, lettering, texts[k], left, base, small, Lettering::Anchor::left);
  }
}

/// Draws the legend: a bar of all values of a quantity, or a list of names.
void write_legend(Image& image, Lettering& lettering, Caption const& caption) {
  auto const& legend = caption.legend;
  if (legend.quantity.empty()) return write_list(image, lettering, caption);
  std::vector<Pixel> colours;
  for (auto const& entry : legend.entries) colours.push_back(entry.colour);
  write_bar(image, lettering, colours, legend.entries.front().text, legend.quantity,
            legend.entries.back().text);
}

}  // namespace

void write_caption(Image& image, Lettering& lettering, Caption const& caption) {
  auto const [width, height] = image.size;
  int const letters = letters_of(image.size), margin = letters;
  using Anchor = Lettering::Anchor;
  auto const with_unit = [&](double number, Dimension dimension) {
    return caption.units.with_short_unit(formatted("%.4g", number), dimension);
  };
  if (!caption.title.empty()) {
    write_edged(image, lettering, caption.title, margin, margin + letters, letters, Anchor::left);
  }
  auto const time = "t = " + with_unit(caption.time, dimension::time);
  write_edged(image, lettering, time, margin, height - margin, letters, Anchor::left);

  double const scale = height / caption.camera.extent;  // [pixels / length]
  double const length = round_below(0.18 * width / scale);
  auto const bar = static_cast<int>(std::lround(length * scale));
  int const right = width - margin, left = right - bar;
  int const thick = std::max(1, letters / 8);
  fill(image, left - 1, right + 1, height - margin - thick - 1, height - margin + 1,
       [](int) { return Pixel{}; });
  fill(image, left, right, height - margin - thick, height - margin, [](int) { return ink; });
  write_edged(image, lettering, with_unit(length, dimension::length), (left + right) / 2,
              height - margin - thick - letters / 3, letters, Anchor::middle);
  if (caption.colours) write_range(image, lettering, caption);
  if (!caption.legend.entries.empty()) write_legend(image, lettering, caption);
}

Notes notes_of(Caption const& caption, Shot const& shot) {
  auto const& camera = caption.camera;
  files::Record const record{
      {"lens", std::string(camera.lens == Lens::perspective ? "perspective" : "orthographic")},
      {"target", Value(camera.target)},
      {"from", Value(camera.eye_direction)},
      {"up", Value(camera.up)},
      {"extent", camera.extent},
      {"field_of_view", camera.field_of_view},
      {"palette", shot.palette},
  };
  Notes notes{{"Software", "Apsis " + build_info().version + " (" + build_info().git + ")"},
              {"apsis:time", shortest(caption.time)},
              {"apsis:step", std::to_string(caption.step)},
              {"apsis:bodies", std::to_string(caption.bodies)},
              {"apsis:camera", files::to_json(record)}};
  if (!caption.title.empty()) notes.insert(notes.begin(), {"Title", caption.title});
  if (!caption.deck.empty()) notes.emplace_back("apsis:deck", caption.deck);
  return notes;
}

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

  /// Calls draw(glyph, pen position) for each letter of a line; returns the width [pixels].
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
