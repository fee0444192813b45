// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "render/caption.hpp"
#include "render/exposure.hpp"
#include "render/image.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/render/shot.hpp>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace apsis::render {

/// Greatest number of bodies that a legend lists one by one.
inline constexpr std::size_t most_listed_bodies = 12;

/// Returns the legend of a picture that is coloured by species or id, an empty one otherwise.
/// - By species: the species of the drawn bodies.
/// - By id: the name of each drawn body, or its id; with more than `most_listed_bodies` bodies the
///   remainders of the ids by the number of colours.
/// `species` and `names` have one entry for each body or are empty. Copies the ids of few bodies to
/// the host. O(N) for species.
Legend make_legend(ExecutionSpace const& space, Shot const& shot, Column<std::uint64_t> const& ids,
                   std::vector<std::uint8_t> const& species, std::vector<std::string> const& names);

/// State of all bodies at a time, relative to the target of the camera.
struct TrailState {
  double time = 0.0;
  bool of_picture = false;  ///< at the time of a picture, not between two pictures
  Vec3<double> target{};
  Kokkos::View<double* [6], Kokkos::LayoutLeft, MemorySpace> state {};  ///< positions, velocities
};

/// Records the present state for trails. Does not fence.
template <class Real>
TrailState record_trail_state(ExecutionSpace const& space, Bodies<Real> const& bodies,
                              Vec3<double> const& target, double time);

/// Draws the paths of bodies between two states, relative to the present target of the camera.
/// Each path is the cubic through the positions and velocities at both ends. It is drawn as points
/// a little closer than pixels along its chord; each point has the fraction `fade` of the light in
/// the middle of a disc of this radius. A body that turned by a quarter of a revolution or more has
/// no path, because the cubic would be a false orbit; `breaks(0)` counts these. Does not fence.
template <class Real>
void draw_trail(ExecutionSpace const& space, Bodies<Real> const& bodies,
                Column<std::uint8_t> const& species, TrailState const& before,
                TrailState const& after, Vec3<double> const& target, Projection const& projection,
                Tint const& tint, double radius, double fade, Exposure const& exposure,
                Kokkos::View<std::uint64_t*, MemorySpace> const& breaks);

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

  /// Returns a picture of the bodies at a time [time], without caption. `species`, and `names` for
  /// the legend, have one entry for each body or are empty. Throws a bad-input error if the body to
  /// be followed does not exist. Fences. O(N + pixels).
  template <class Real>
  Image take(Context const& context, Bodies<Real> const& bodies,
             std::vector<std::uint8_t> const& species, double time,
             std::vector<std::string> const& names = {});

  /// Records the bodies between two pictures, so that trails follow their paths. Does nothing if no
  /// trails are drawn. May return before the bodies were read. O(N).
  template <class Real>
  void record(Context const& context, Bodies<Real> const& bodies, double time);

  /// Parts of trails that the last picture left out, because a body turned by a quarter of a
  /// revolution or more between two states. Fences.
  std::uint64_t trail_breaks() const;
  /// Parts of trails of the last picture, drawn or left out.
  std::uint64_t trail_parts() const { return trail_parts_; }

  /// Values at the ends of the colours of the last picture; empty if colours show no value.
  std::optional<ColourRange> colour_range() const { return colour_range_; }

  /// Species or bodies of the colours of the last picture; empty if colours show neither.
  Legend const& legend() const { return legend_; }

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
  void push_trail_state(ExecutionSpace const& space, Bodies<Real> const& bodies,
                        Vec3<double> const& target, double time, bool of_picture);
  template <class Real>
  void draw_trails(ExecutionSpace const& space, Bodies<Real> const& bodies,
                   Column<std::uint8_t> const& species, Projection const& view, Tint const& tint,
                   double radius, Exposure const& exposure);

  Shot shot_;
  Camera camera_{};
  double extent_ = 0.0, white_ = 0.0, fastest_ = 0.0;  ///< settings so far; 0: none yet
  std::deque<TrailState> trail_states_;
  Kokkos::View<std::uint64_t*, MemorySpace> breaks_;  ///< one counter
  std::uint64_t trail_parts_ = 0;
  std::optional<ColourRange> colour_range_;
  Legend legend_;
  Exposure exposure_;  ///< of the last picture; its memory is reused
};

}  // namespace apsis::render
