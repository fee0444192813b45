// SPDX-License-Identifier: Apache-2.0
#include "render/image.hpp"

#include <apsis/core/error.hpp>
#include <apsis/core/registry.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace apsis::render {

namespace {

constexpr double degree = std::numbers::pi / 180.0;

Vec3<double> unit(Vec3<double> const& a) {
  double const length = norm(a);
  APSIS_EXPECT(length > 0.0 && std::isfinite(length), "a camera has a direction");
  return (1.0 / length) * a;
}

/// Palette, given by evenly spaced colours that are interpolated.
struct Palette {
  std::string name;
  std::vector<Pixel> stops;
};

Registry<Palette> const& palettes() {
  static Registry<Palette> const table{
      "palette",
      {// Black-body-like: dark red to white.
       {"ember",
        {rgb(0x000000), rgb(0x200822), rgb(0x581432), rgb(0x9c2c24), rgb(0xd85c14), rgb(0xf6a032),
         rgb(0xffdc8c), rgb(0xfffff0)}},
       {"ice",
        {rgb(0x000000), rgb(0x080e2a), rgb(0x12245c), rgb(0x224c96), rgb(0x4282c8), rgb(0x7cb8e8),
         rgb(0xc4e4f8), rgb(0xffffff)}},
       // Star colours by temperature: red, orange, white, blue.
       {"stars",
        {rgb(0x782814), rgb(0xc85a28), rgb(0xf59650), rgb(0xffcd96), rgb(0xfff0e1), rgb(0xe1e8ff),
         rgb(0xb4cdff), rgb(0x8cb4ff)}},
       // Similar to viridis (Smith & van der Walt 2015), which is in the public domain.
       {"viridis",
        {rgb(0x440154), rgb(0x46327f), rgb(0x365c8d), rgb(0x277f8e), rgb(0x1fa187), rgb(0x4ac26d),
         rgb(0x9fda3a), rgb(0xfde725)}},
       {"grey", {rgb(0x000000), rgb(0xffffff)}}}};
  return table;
}

}  // namespace

Projection projection(Camera const& camera, Size size) {
  APSIS_EXPECT(camera.extent > 0.0, "a camera sees some of space");
  Projection result{};
  result.target = camera.target;
  result.back = unit(camera.eye_direction);
  result.right = unit(cross(camera.up, result.back));
  result.up = cross(result.back, result.right);
  result.scale = size.height / camera.extent;
  if (camera.lens == Lens::perspective) {
    result.distance = 0.5 * camera.extent / std::tan(0.5 * camera.field_of_view * degree);
  }
  result.middle_x = 0.5 * size.width;
  result.middle_y = 0.5 * size.height;
  return result;
}

Vec3<double> rotate(Vec3<double> const& vector, Vec3<double> const& axis, double degrees) {
  // Rodrigues' rotation formula (1840).
  auto const k = unit(axis);
  double const s = std::sin(degrees * degree), c = std::cos(degrees * degree);
  return c * vector + s * cross(k, vector) + ((1.0 - c) * dot(k, vector)) * k;
}

Light light_of(Pixel const& pixel) {
  Light light{};
  for (std::size_t k = 0; k < 3; ++k) {
    double const s = pixel[k] / 255.0;
    light[k] = static_cast<float>(s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4));
  }
  return light;
}

std::vector<std::string> palette_names() {
  return palettes().names();
}

std::array<Pixel, palette_size> palette(std::string const& name) {
  auto const& stops = palettes().get(name).stops;
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
