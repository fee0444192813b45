// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/vec3.hpp>
#include <apsis/render/shot.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

/// Projection of space onto pictures. Pixels are counted from the upper left corner, x to the right
/// and y down; the centre of the first pixel is at (0.5, 0.5).
namespace apsis::render {

/// Position, orientation and field of view of the camera.
struct Camera {
  Lens lens = Lens::orthographic;
  Vec3<double> target{};  ///< centre of the picture [length]
  Vec3<double> eye_direction{0.0, 0.0,
                             1.0};  ///< direction from the target to the eye; any length but 0
  Vec3<double> up{
      0.0, 1.0, 0.0};  ///< direction that points up in the picture; not parallel to `eye_direction`
  double extent = 2.0;          ///< height of the picture, measured at the target [length]
  double field_of_view = 40.0;  ///< vertical opening angle of a perspective lens [degrees]
};

/// Camera and picture size, prepared for use in kernels.
struct Projection {
  Vec3<double> target, right, up, back;  ///< unit vectors, except the target
  double scale;                          ///< magnification at the target [pixels / length]
  double distance;                       ///< from the eye to the target [length]; 0: parallel rays
  double middle_x, middle_y;             ///< centre of the picture [pixels]

  struct PixelPosition {
    double x, y;  ///< [pixels]
    bool ahead;   ///< in front of the eye
  };

  APSIS_INLINE_FUNCTION PixelPosition operator()(Vec3<double> const& position) const {
    auto const relative = position - target;
    double enlarged = scale;
    bool ahead = true;
    if (distance > 0.0) {
      double const depth = distance - dot(relative, back);
      // A body nearer than a thousandth of the target's distance would cover the whole picture.
      ahead = depth > 1e-3 * distance;
      if (ahead) enlarged *= distance / depth;
    }
    return {middle_x + enlarged * dot(relative, right), middle_y - enlarged * dot(relative, up),
            ahead};
  }
};

/// Returns the projection. Throws an internal error if the camera has no direction or no extent.
Projection projection(Camera const& camera, Size size);

/// Returns the vector rotated by an angle [degrees] about an axis of any length (right-hand rule).
Vec3<double> rotate(Vec3<double> const& vector, Vec3<double> const& axis, double degrees);

/// Linear light: red, green and blue, 0 ... 1, proportional to energy. Light is added up in these.
using Light = std::array<float, 3>;

/// Pixel of a screen: red, green and blue in sRGB (IEC 61966-2-1), 0 ... 255.
struct Pixel {
  std::uint8_t channels[3];

  APSIS_INLINE_FUNCTION constexpr std::uint8_t& operator[](std::size_t c) { return channels[c]; }
  APSIS_INLINE_FUNCTION constexpr std::uint8_t operator[](std::size_t c) const {
    return channels[c];
  }
  friend constexpr bool operator==(Pixel const&, Pixel const&) = default;
};

/// Returns the pixel of a colour in hexadecimal, 0xrrggbb.
constexpr Pixel rgb(std::uint32_t code) {
  return {{static_cast<std::uint8_t>(code >> 16), static_cast<std::uint8_t>(code >> 8 & 255),
           static_cast<std::uint8_t>(code & 255)}};
}

Light light_of(Pixel const& pixel);

/// Names of the palettes for continuous quantities. Each runs from dark to bright and remains
/// readable in grey and for colour-blind readers.
std::vector<std::string> palette_names();

inline constexpr std::size_t palette_size = 256;

/// Returns a palette by name, evenly spaced. Throws an internal error for an unknown name.
std::array<Pixel, palette_size> palette(std::string const& name);

/// Returns the colours of a quantity of bodies, from its least to its greatest value: the palette
/// from its first colour on that is clearly visible on black.
std::vector<Pixel> value_colours(std::string const& palette_name);

/// Colours by id, for colour-blind readers too (after Okabe & Ito 2008); the first is a sun's.
inline constexpr std::array<Pixel, 8> id_colours{rgb(0xf0e442), rgb(0x56b4e9), rgb(0xe69f00),
                                                 rgb(0x009e73), rgb(0xcc79a7), rgb(0xd55e00),
                                                 rgb(0x8296ff), rgb(0xc8c8c8)};

/// Colours of species, distinguishable by colour-blind readers (Okabe & Ito 2008).
inline constexpr std::array<Pixel, 8> kinds{rgb(0x56b4e9), rgb(0x787882), rgb(0x5696ff),
                                            rgb(0xf0e442), rgb(0xffaa3c), rgb(0x009e73),
                                            rgb(0xd55e00), rgb(0xcc79a7)};

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
