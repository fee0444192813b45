// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/units.hpp>
#include <apsis/render/image.hpp>
#include <apsis/render/lettering.hpp>

#include <cstdint>
#include <string>

namespace apsis::render {

struct Shot;

/// Texts and numbers that accompany a picture.
struct Caption {
  std::string title;
  std::string deck;  ///< resolved deck, as JSON
  Units units;
  double time = 0.0;  ///< [time]
  std::uint64_t step = 0;
  std::uint64_t bodies = 0;
  Camera camera;  ///< camera that took the picture
};

/// Writes title, time and a scale bar of a round length on a picture. The bar is valid at the
/// distance of the camera's target.
void write_caption(Image& image, Lettering& lettering, Caption const& caption);

/// Returns the notes of the PNG file: title, program, deck, time, step, number of bodies and
/// camera.
Notes notes_of(Caption const& caption, Shot const& shot);

}  // namespace apsis::render
