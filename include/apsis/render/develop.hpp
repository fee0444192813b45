// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/render/exposure.hpp>
#include <apsis/render/image.hpp>

#include <array>
#include <string>

namespace apsis::render {

/// The light that so many percent of the lit pixels do not pass, at most; 0 if none is lit. Found
/// in steps of 1/16 of a power of two, from every pixel or an even sample of half a million.
/// Fences.
double white_point(ExecutionSpace const& space, Exposure const& exposure, double percent);

/// What an exposure looks like if `white` is as bright as a screen can be: one channel through a
/// palette, three as their colours. Fences. O(pixels).
Image develop(ExecutionSpace const& space, Exposure const& exposure, Stretch stretch, double white,
              std::array<Pixel, palette_size> const& palette);

}  // namespace apsis::render
