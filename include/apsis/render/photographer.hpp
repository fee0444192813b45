// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/context.hpp>
#include <apsis/render/exposure.hpp>
#include <apsis/render/image.hpp>
#include <apsis/render/shot.hpp>

#include <deque>

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

namespace apsis {
class SavedState;
}

namespace apsis::render {

/// Takes a series of pictures. The automatic settings (extent, exposure and the range of speeds
/// shown by colours) change slowly from one picture to the next, so that a film does not flicker.
class Photographer {
 public:
  explicit Photographer(Shot shot) : shot_(std::move(shot)) {}

  /// Returns a picture of the bodies at a time [time], without caption. `species` has one entry for
  /// each body or is empty. Throws a bad-input error if the body to be followed does not exist.
  /// Fences. O(N + pixels).
  template <class Real>
  Image take(Context const& context, Bodies<Real> const& bodies,
             std::vector<std::uint8_t> const& species, double time);

  /// Camera of the last picture.
  Camera const& camera() const { return camera_; }

  /// Saves or restores the state that the next picture depends on.
  void exchange(ExecutionSpace const& space, SavedState& state, std::string const& name);

 private:
  template <class Real>
  Vec3<double> find_target(Context const& context, Bodies<Real> const& bodies) const;
  template <class Real>
  void aim(Context const& context, Bodies<Real> const& bodies, Column<std::uint8_t> const& kind,
           double time);
  template <class Real>
  Tint make_tint(Context const& context, Bodies<Real> const& bodies);
  template <class Real>
  void draw_trails(ExecutionSpace const& space, Bodies<Real> const& bodies,
                   Column<std::uint8_t> const& species, Projection const& view, Tint const& tint,
                   double radius, double time, Exposure const& exposure);

  Shot shot_;
  Camera camera_{};
  double extent_ = 0.0, white_ = 0.0, fastest_ = 0.0;  ///< settings so far; 0: none yet
  std::deque<TrailState> trail_states_;
  Exposure exposure_;  ///< of the last picture; its memory is reused
};

}  // namespace apsis::render
