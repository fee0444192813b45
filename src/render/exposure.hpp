// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "render/image.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/render/shot.hpp>

#include <array>
#include <cstdint>
#include <string>

namespace apsis::render {

/// Size of the soft-edged disc that each body is drawn as; its light is shared among the pixels of
/// the disc. The disc is about as wide as the mean separation of bodies in the picture, so that
/// many bodies merge into a smooth density and few bodies remain glowing points.
struct Brush {
  double largest = 8.0;  ///< radius of an isolated body [pixels], >= 1
  double spread = 1.25;  ///< radius over the mean separation of bodies in the neighbourhood
};

/// Parameters that give each body its colour and its amount of light.
struct Tint {
  ColourBy colour_by = ColourBy::density;
  Weight weight = Weight::bodies;
  int species = -1;  ///< species that is drawn; -1: all species
  double zero = 0.0,
         one = 1.0;        ///< speed [length / time] or log of mass at both ends of the palette
  double mean_mass = 1.0;  ///< mass that gives the light of one body [mass]
  /// Colours of a palette or of categories; unused for a density.
  Kokkos::View<float* [3], Kokkos::LayoutRight, MemorySpace> lights;
};

/// Light of one body in an exposure. Light is counted in integers, so that a picture has the same
/// bits in whatever order bodies are drawn.
inline constexpr double one_light = 1048576.0;

struct Exposure {
  Size size{0, 0};
  int channels = 1;  ///< 1, or 3 for colours
  /// Light of pixel x, y and channel c, at ((y * width) + x) * channels + c.
  Kokkos::View<std::uint64_t*, MemorySpace> light;

  Exposure() = default;
  Exposure(ExecutionSpace const& space, Size picture_size, int channel_count);
};

/// Adds the light of bodies to an exposure. `species` has one row for each body or is empty. Bodies
/// that are not finite, behind the eye or outside the picture give no light. Does not fence. O(N +
/// pixels).
template <class Real>
void expose(ExecutionSpace const& space, Bodies<Real> const& bodies,
            Column<std::uint8_t> const& species, Projection const& projection, Brush const& brush,
            Tint const& tint, Exposure const& exposure);

/// Returns the light that at most `percent` percent of the lit pixels stay below; 0 if no pixel is
/// lit. Resolved to 1/16 of a power of two, from all pixels or from an even sample of half a
/// million. Fences.
double white_point(ExecutionSpace const& space, Exposure const& exposure, double percent);

/// Converts an exposure to an image in which the light `white` has full brightness. One channel is
/// mapped through the palette, three channels keep their colours. Fences. O(pixels).
Image develop(ExecutionSpace const& space, Exposure const& exposure, Stretch stretch, double white,
              std::array<Pixel, palette_size> const& palette);

}  // namespace apsis::render
