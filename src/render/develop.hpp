// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "render/exposure.hpp"
#include "render/image.hpp"

#include <array>
#include <string>

namespace apsis::render {

/// Returns the light that at most `percent` percent of the lit pixels stay below; 0 if no pixel is
/// lit. Resolved to 1/16 of a power of two, from all pixels or from an even sample of half a
/// million. Fences.
double white_point(ExecutionSpace const& space, Exposure const& exposure, double percent);

/// Converts an exposure to an image in which the light `white` has full brightness. One channel is
/// mapped through the palette, three channels keep their colours. Fences. O(pixels).
Image develop(ExecutionSpace const& space, Exposure const& exposure, Stretch stretch, double white,
              std::array<Pixel, palette_size> const& palette);

}  // namespace apsis::render
