// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/render/exposure.hpp>

namespace apsis::render {

/// Where bodies were when a picture was taken, seen from what was followed.
struct Past {
  double time = 0.0;
  Vec3<double> target{};
  Kokkos::View<double* [6], Kokkos::LayoutLeft, MemorySpace> state {};  ///< places, velocities
};

/// The present as a later picture will want it. Does not fence.
template <class Real>
Past past_of(ExecutionSpace const& space, Bodies<Real> const& bodies, Vec3<double> const& target,
             double time);

/// Adds the ways of bodies between two pictures, about where the camera looks now: each is the
/// cubic through the places and velocities of both ends, in points a little closer than pixels
/// along its chord, each with the share `fade` of the light in the middle of a disc of this radius.
/// Does not fence.
template <class Real>
void draw_trail(ExecutionSpace const& space, Bodies<Real> const& bodies,
                Column<std::uint8_t> const& species, Past const& before, Past const& after,
                Vec3<double> const& target, Projection const& projection, Tint const& tint,
                double radius, double fade, Exposure const& exposure);

}  // namespace apsis::render
