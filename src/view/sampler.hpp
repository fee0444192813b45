// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "view/messages.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/core/execution.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace apsis::view {

/// Packs bodies into frames in place: a kernel writes eight bytes per body into host memory,
/// nothing else is copied. O(points) per frame. Every eighth frame samples up to 4096 bodies to
/// find the box, which holds all bodies except the few that are far away. Frames of at most
/// max_detailed_bodies bodies also have their details.
class Sampler {
 public:
  /// Returns up to `most_points` points; all bodies if there are no more. Fences.
  template <class Real>
  Frame take(Context const& context, Bodies<Real> const& bodies,
             std::vector<std::uint8_t> const& species, std::uint32_t most_points);

  /// Forgets the box and the speeds; call before the first frame of another system.
  void reset();

 private:
  using Points = Kokkos::View<std::uint64_t*, PinnedSpace>;

  template <class Real>
  void find_box(Context const& context, Bodies<Real> const& bodies);
  std::shared_ptr<Points> free_points(std::size_t count);
  template <class Real>
  std::shared_ptr<std::vector<BodyDetails> const> take_details(Context const& context,
                                                               Bodies<Real> const& bodies);

  std::vector<std::shared_ptr<Points>>
      pool_;  ///< buffers; one that no frame uses any more is reused
  Kokkos::View<double* [4], Kokkos::LayoutLeft, PinnedSpace> probe_;
  Kokkos::View<double* [8], Kokkos::LayoutLeft, PinnedSpace> details_;
  Column<std::uint8_t> species_;
  std::uint8_t const* species_of_ = nullptr;  ///< address that `species_` was copied from
  unsigned frames_ = 0;
  Frame frame_;  ///< box and speed, which stay the same for several frames
};

/// Interpolates bodies between two snapshots `dt` apart [time], at the fraction `s` of the
/// interval, 0 to 1. Uses the cubics through positions and velocities at both ends (Hermite
/// interpolation; error O(dt^4)). Overwrites positions and velocities of `now`. All three hold the
/// same bodies in the same order. O(N), does not fence.
void interpolate_bodies(ExecutionSpace const& space, Bodies<double> const& before,
                        Bodies<double> const& after, double dt, double s,
                        Bodies<double> const& now);

}  // namespace apsis::view
