// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/units.hpp>
#include <apsis/render/image.hpp>
#include <apsis/render/lettering.hpp>

#include <cstdint>
#include <string>

namespace apsis::render {

struct Shot;

/// What is told with a picture.
struct Caption {
  std::string title;
  std::string deck;  ///< resolved, as JSON
  Units units;
  double time = 0.0;  ///< [time]
  std::uint64_t step = 0;
  std::uint64_t bodies = 0;
  Camera camera;  ///< that took it
};

/// Writes title, time and a scale of a round length, as it is at what is followed, on a picture.
void write_caption(Image& image, Lettering& lettering, Caption const& caption);

/// The same and more, for readers of the file: title, program, deck, time and camera.
Notes notes_of(Caption const& caption, Shot const& shot);

}  // namespace apsis::render
