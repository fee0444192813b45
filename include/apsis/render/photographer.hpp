// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/context.hpp>
#include <apsis/render/exposure.hpp>
#include <apsis/render/image.hpp>
#include <apsis/render/shot.hpp>
#include <apsis/render/trail.hpp>

#include <deque>

namespace apsis {
class SavedState;
}

namespace apsis::render {

/// Takes the pictures of a series, one after the other. What it chooses by itself, the extent, the
/// exposure and the range of speeds that colours show, moves little from one to the next, so that a
/// film does not jump.
class Photographer {
 public:
  explicit Photographer(Shot of) : shot_(std::move(of)) {}

  /// The bodies at a time [time], without words. `species` has one for each or is empty. Throws a
  /// bad-input error if the body that is to be followed is not among them. Fences. O(N + pixels).
  template <class Real>
  Image take(Context const& context, Bodies<Real> const& bodies,
             std::vector<std::uint8_t> const& species, double time);

  /// Of the last picture.
  Camera const& camera() const { return camera_; }

  /// What the next picture depends on.
  void exchange(ExecutionSpace const& space, SavedState& state, std::string const& name);

 private:
  template <class Real>
  Vec3<double> target(Context const& context, Bodies<Real> const& bodies) const;
  template <class Real>
  void aim(Context const& context, Bodies<Real> const& bodies, Column<std::uint8_t> const& kind,
           double time);
  template <class Real>
  Tint tint(Context const& context, Bodies<Real> const& bodies);
  template <class Real>
  void draw_trails(ExecutionSpace const& space, Bodies<Real> const& bodies,
                   Column<std::uint8_t> const& species, Projection const& view, Tint const& of,
                   double radius, double time, Exposure const& exposure);

  Shot shot_;
  Camera camera_{};
  double extent_ = 0.0, white_ = 0.0, fastest_ = 0.0;  ///< so far; 0: none yet
  std::deque<Past> past_;
  Exposure exposure_;  ///< of the last picture, whose memory the next one uses
};

}  // namespace apsis::render
