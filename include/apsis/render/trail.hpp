// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/render/exposure.hpp>

namespace apsis::render {

/// State of all bodies at the time of a picture, relative to the camera's target.
struct TrailState {
  double time = 0.0;
  Vec3<double> target{};
  Kokkos::View<double* [6], Kokkos::LayoutLeft, MemorySpace> state {};  ///< positions, velocities
};

/// Records the present state for trails of later pictures. Does not fence.
template <class Real>
TrailState record_trail_state(ExecutionSpace const& space, Bodies<Real> const& bodies,
                              Vec3<double> const& target, double time);

/// Draws the paths of bodies between two pictures, relative to the present target of the camera.
/// Each path is the cubic through the positions and velocities at both ends. It is drawn as points
/// a little closer than pixels along its chord; each point has the fraction `fade` of the light in
/// the middle of a disc of this radius. Does not fence.
template <class Real>
void draw_trail(ExecutionSpace const& space, Bodies<Real> const& bodies,
                Column<std::uint8_t> const& species, TrailState const& before,
                TrailState const& after, Vec3<double> const& target, Projection const& projection,
                Tint const& tint, double radius, double fade, Exposure const& exposure);

}  // namespace apsis::render
