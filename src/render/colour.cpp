// SPDX-License-Identifier: Apache-2.0
#include "apsis/render/colour.hpp"

#include <apsis/core/error.hpp>

#include <algorithm>
#include <cmath>

namespace apsis::render {

namespace {

/// Palette, given by evenly spaced colours that are interpolated.
struct Palette {
  std::string name;
  std::vector<Pixel> stops;
};

std::vector<Palette> const& palettes() {
  static std::vector<Palette> const table{
      // Black-body-like: dark red to white.
      {"ember",
       {{0, 0, 0},
        {32, 8, 34},
        {88, 20, 50},
        {156, 44, 36},
        {216, 92, 20},
        {246, 160, 50},
        {255, 220, 140},
        {255, 255, 240}}},
      {"ice",
       {{0, 0, 0},
        {8, 14, 42},
        {18, 36, 92},
        {34, 76, 150},
        {66, 130, 200},
        {124, 184, 232},
        {196, 228, 248},
        {255, 255, 255}}},
      // Star colours by temperature: red, orange, white, blue.
      {"stars",
       {{120, 40, 20},
        {200, 90, 40},
        {245, 150, 80},
        {255, 205, 150},
        {255, 240, 225},
        {225, 232, 255},
        {180, 205, 255},
        {140, 180, 255}}},
      // Similar to viridis (Smith & van der Walt 2015), which is in the public domain.
      {"viridis",
       {{68, 1, 84},
        {70, 50, 127},
        {54, 92, 141},
        {39, 127, 142},
        {31, 161, 135},
        {74, 194, 109},
        {159, 218, 58},
        {253, 231, 37}}},
      {"grey", {{0, 0, 0}, {255, 255, 255}}},
  };
  return table;
}

}  // namespace

Light light_of(Pixel const& pixel) {
  Light light{};
  for (std::size_t k = 0; k < 3; ++k) {
    double const s = pixel[k] / 255.0;
    light[k] = static_cast<float>(s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4));
  }
  return light;
}

std::vector<std::string> const& palette_names() {
  static std::vector<std::string> const names = [] {
    std::vector<std::string> list;
    for (auto const& entry : palettes()) list.push_back(entry.name);
    return list;
  }();
  return names;
}

std::array<Pixel, palette_size> palette(std::string const& name) {
  auto const& table = palettes();
  auto const entry = std::find_if(table.begin(), table.end(),
                                  [&](Palette const& candidate) { return candidate.name == name; });
  APSIS_EXPECT(entry != table.end(), "there is a palette of this name: " + name);
  auto const& stops = entry->stops;
  std::array<Pixel, palette_size> colours{};
  for (std::size_t i = 0; i < palette_size; ++i) {
    double const position = static_cast<double>(i * (stops.size() - 1)) / (palette_size - 1.0);
    auto const k = std::min(static_cast<std::size_t>(position), stops.size() - 2);
    double const share = position - static_cast<double>(k);
    for (std::size_t c = 0; c < 3; ++c) {
      colours[i][c] = static_cast<std::uint8_t>(
          std::lround((1.0 - share) * stops[k][c] + share * stops[k + 1][c]));
    }
  }
  return colours;
}

std::vector<Pixel> value_colours(std::string const& palette_name) {
  constexpr std::uint8_t visible = 64;  // of 255, in the brightest channel
  auto const colours = palette(palette_name);
  auto const first = std::find_if(colours.begin(), colours.end(), [](Pixel const& pixel) {
    return std::max({pixel[0], pixel[1], pixel[2]}) >= visible;
  });
  return {first, colours.end()};
}

}  // namespace apsis::render
