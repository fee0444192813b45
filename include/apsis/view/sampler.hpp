// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/core/context.hpp>
#include <apsis/core/pinned_space.hpp>
#include <apsis/view/frame.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace apsis::view {

/// Packs bodies into frames where they are: a kernel writes eight bytes a body into memory of the
/// host, and nothing else is copied. O(points) a frame; every eighth looks at up to 4096 bodies to
/// find the box, which holds all of them but the few that are far away.
class Sampler {
 public:
  /// Up to `most` points, every body's if there are no more. Fences.
  template <class Real>
  Frame take(Context const& context, Bodies<Real> const& bodies,
             std::vector<std::uint8_t> const& species, std::uint32_t most);

  /// What comes next is another system: its box and its speeds are looked at anew.
  void begin_anew();

 private:
  using Points = Kokkos::View<std::uint64_t*, PinnedSpace>;

  template <class Real>
  void find_box(Context const& context, Bodies<Real> const& bodies);
  std::shared_ptr<Points> free_points(std::size_t count);

  std::vector<std::shared_ptr<Points>> pool_;  ///< what nobody sends any more is used again
  Kokkos::View<double* [4], Kokkos::LayoutLeft, PinnedSpace> probe_;
  Column<std::uint8_t> species_;
  std::uint8_t const* species_of_ = nullptr;  ///< where those were copied from
  unsigned frames_ = 0;
  Frame frame_;  ///< of which the box and the speed stay for some frames
};

}  // namespace apsis::view
