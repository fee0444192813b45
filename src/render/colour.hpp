// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/vec3.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace apsis::render {

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

Light light_of(Pixel const& pixel);

/// Names of the palettes for continuous quantities. Each runs from dark to bright and remains
/// readable in grey and for colour-blind readers.
std::vector<std::string> const& palette_names();

inline constexpr std::size_t palette_size = 256;

/// Returns a palette by name, evenly spaced. Throws an internal error for an unknown name.
std::array<Pixel, palette_size> palette(std::string const& name);

/// Returns the colours of a quantity of bodies, from its least to its greatest value: the palette
/// from its first colour on that is clearly visible on black.
std::vector<Pixel> value_colours(std::string const& palette_name);

/// Colours of bodies by id, distinguishable by colour-blind readers (after Okabe & Ito 2008); the
/// first is that of a sun.
inline constexpr std::array<Pixel, 8> id_colours{{{240, 228, 66},
                                                  {86, 180, 233},
                                                  {230, 159, 0},
                                                  {0, 158, 115},
                                                  {204, 121, 167},
                                                  {213, 94, 0},
                                                  {130, 150, 255},
                                                  {200, 200, 200}}};

/// Colours of categories such as species, distinguishable by colour-blind readers (Okabe & Ito
/// 2008).
inline constexpr std::array<Pixel, 8> kinds{{{86, 180, 233},
                                             {120, 120, 130},
                                             {86, 150, 255},
                                             {240, 228, 66},
                                             {255, 170, 60},
                                             {0, 158, 115},
                                             {213, 94, 0},
                                             {204, 121, 167}}};

}  // namespace apsis::render
