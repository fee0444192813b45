// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/build_info.hpp>
#include <apsis/core/text.hpp>
#include <apsis/io/record.hpp>
#include <apsis/render/caption.hpp>
#include <apsis/render/colour.hpp>
#include <apsis/render/shot.hpp>

#include <algorithm>
#include <cmath>

namespace apsis::render {

namespace {

constexpr Pixel ink{225, 225, 225};

/// Returns the largest number of the form 1, 2 or 5 times a power of ten that is at most `most`.
double round_below(double most) {
  double const power = std::pow(10.0, std::floor(std::log10(most)));
  double const share = most / power;
  return (share >= 5.0 ? 5.0 : share >= 2.0 ? 2.0 : 1.0) * power;
}

Value vector_value(Vec3<double> const& vector) {
  return vector;
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

/// Draws the colours of a range at the top right, with the values at both ends.
void write_colours(Image& image, Lettering& lettering, Caption const& caption, int margin,
                   int letters) {
  auto const& range = *caption.colours;
  auto const pixels = value_colours(caption.palette);
  int const right = image.size.width - margin, left = right - image.size.width / 5;
  int const top = margin, bottom = margin + letters / 2;
  fill(image, left - 1, right + 1, top - 1, bottom + 1, [](int) { return Pixel{}; });
  fill(image, left, right, top, bottom, [&](int x) {
    auto const step = static_cast<std::size_t>(x - left) * (pixels.size() - 1);
    return pixels[step / static_cast<std::size_t>(std::max(1, right - left - 1))];
  });
  auto const text = [&](double value, bool with_unit) {
    auto const digits = formatted("%.3g", value);
    return with_unit ? caption.units.with_short_unit(digits, range.dimension) : digits;
  };
  int const base = bottom + letters + letters / 3, small = std::max(10, 4 * letters / 5);
  write_edged(image, lettering, text(range.least, false), left, base, small,
              Lettering::Anchor::left);
  auto const what = std::string(range.dimension == dimension::mass ? "mass" : "speed") +
                    (range.logarithmic ? " (log)" : "");
  write_edged(image, lettering, what, (left + right) / 2, base + small + small / 3, small,
              Lettering::Anchor::middle);
  write_edged(image, lettering, text(range.greatest, true), right, base, small,
              Lettering::Anchor::right);
}

}  // namespace

void write_caption(Image& image, Lettering& lettering, Caption const& caption) {
  auto const [width, height] = image.size;
  int const letters = std::max(10, height / 36);
  int const margin = letters;
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
  if (caption.colours) write_colours(image, lettering, caption, margin, letters);
}

Notes notes_of(Caption const& caption, Shot const& shot) {
  auto const& camera = caption.camera;
  io::Record const record{
      {"lens", std::string(camera.lens == Lens::perspective ? "perspective" : "orthographic")},
      {"target", vector_value(camera.target)},
      {"from", vector_value(camera.eye_direction)},
      {"up", vector_value(camera.up)},
      {"extent", camera.extent},
      {"field_of_view", camera.field_of_view},
      {"palette", shot.palette},
  };
  Notes notes{{"Software", "Apsis " + build_info().version + " (" + build_info().git + ")"},
              {"apsis:time", shortest(caption.time)},
              {"apsis:step", std::to_string(caption.step)},
              {"apsis:bodies", std::to_string(caption.bodies)},
              {"apsis:camera", io::to_json(record)}};
  if (!caption.title.empty()) notes.insert(notes.begin(), {"Title", caption.title});
  if (!caption.deck.empty()) notes.emplace_back("apsis:deck", caption.deck);
  return notes;
}

}  // namespace apsis::render
