// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/render/camera.hpp>
#include <apsis/render/colour.hpp>
#include <apsis/render/look.hpp>

#include <cstdint>

namespace apsis::render {

/// How each body is drawn: as a disc of soft edge whose light is shared out among its pixels. The
/// disc is as wide as bodies are apart in the picture, so that many flow into a smooth density and
/// few are points that glow.
struct Brush {
  double largest = 8.0;  ///< radius of a body that is alone [pixels], >= 1
  double spread = 1.25;  ///< radius over the mean distance of bodies in the neighbourhood
};

/// What a body's colour is made of.
struct Tint {
  ColourBy by = ColourBy::density;
  Weight weight = Weight::bodies;
  int species = -1;              ///< that gives light; -1: all do
  double zero = 0.0, one = 1.0;  ///< of speed [length / time] or mass: the palette's ends
  double mean_mass = 1.0;        ///< that gives the light of one body [mass]
  /// Lights of a palette or of kinds; not used for a density.
  Kokkos::View<float* [3], Kokkos::LayoutRight, MemorySpace> lights;
};

/// The light of one body in an exposure. It is counted in whole numbers, so that a picture has the
/// same bits in whatever order bodies are drawn.
inline constexpr double one_light = 1048576.0;

/// The light that each pixel got.
struct Exposure {
  Size size{0, 0};
  int channels = 1;  ///< 1, or 3 for colours
  /// Of pixel x, y and channel c: ((y * width) + x) * channels + c.
  Kokkos::View<std::uint64_t*, MemorySpace> light;

  /// None yet.
  Exposure() = default;
  /// Allocates a dark one.
  Exposure(ExecutionSpace const& space, Size of, int channel_count);
};

/// Adds the light of bodies. `species` has a row for each of them or none. Bodies that are not
/// finite, behind the eye or off the edge give none. Does not fence. O(N + pixels).
template <class Real>
void expose(ExecutionSpace const& space, Bodies<Real> const& bodies,
            Column<std::uint8_t> const& species, Projection const& projection, Brush const& brush,
            Tint const& tint, Exposure const& exposure);

}  // namespace apsis::render
