// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/build_info.hpp>
#include <apsis/core/text.hpp>
#include <apsis/io/record.hpp>
#include <apsis/render/caption.hpp>
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
    lettering.write(image, caption.title, margin, margin + letters, letters, Anchor::left, ink);
  }
  auto const time = "t = " + with_unit(caption.time, dimension::time);
  lettering.write(image, time, margin, height - margin, letters, Anchor::left, ink);

  double const scale = height / caption.camera.extent;  // [pixels / length]
  double const length = round_below(0.18 * width / scale);
  auto const bar = static_cast<int>(std::lround(length * scale));
  int const right = width - margin, left = right - bar;
  int const thick = std::max(1, letters / 8);
  for (int y = std::max(0, height - margin - thick); y < height - margin; ++y) {
    for (int x = std::max(0, left); x < right; ++x) image.pixel(x, y) = ink;
  }
  lettering.write(image, with_unit(length, dimension::length), (left + right) / 2,
                  height - margin - thick - letters / 3, letters, Anchor::middle, ink);
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
