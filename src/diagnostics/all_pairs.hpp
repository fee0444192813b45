// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "batches.hpp"
#include "forces/direct/tile_loop.hpp"
#include "forces/pair.hpp"
#include <apsis/bodies/read_columns.hpp>
#include <apsis/core/poll.hpp>

#include <algorithm>
#include <string>
#include <type_traits>

namespace apsis::diagnostics {

inline constexpr double infinity = Kokkos::Experimental::infinity_v<double>;

/// Base class of pair laws of the tile loop that read positions in double. The derived law defines
/// the fourth number of a source.
struct DoublePositions {
  using Real = double;
  using Source = forces::PointMass<double>;
  template <class Lanes>
  using Target = forces::Point<Lanes>;
  static constexpr bool excludes_self = true;
  KOKKOS_FORCEINLINE_FUNCTION static bool is_scattered() { return false; }

  ReadColumns position;

  KOKKOS_FORCEINLINE_FUNCTION static std::ptrdiff_t self_source(std::size_t i) {
    return static_cast<std::ptrdiff_t>(i);
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void set(forces::Point<Lanes>& target, int lane,
                                       std::size_t i) const {
    simd::set_lane<double>(target.x, lane, position(i, 0));
    simd::set_lane<double>(target.y, lane, position(i, 1));
    simd::set_lane<double>(target.z, lane, position(i, 2));
  }
  KOKKOS_FORCEINLINE_FUNCTION Source source(std::size_t j, double fourth) const {
    return {position(j, 0), position(j, 1), position(j, 2), fourth};
  }
  /// Sets the squared distance in the lane of the body itself, if there is one, to infinity.
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION static void exclude_self(Lanes& squared, std::ptrdiff_t self) {
    constexpr int lanes = simd::lane_count<double, Lanes>;
    if (self >= 0 && self < lanes) {
      simd::set_lane<double>(squared, static_cast<int>(self), infinity);
    }
  }
};

/// Returns the rows of a column from `first` on.
template <class View>
View rows_from(View const& column, std::size_t first) {
  return Kokkos::subview(column, Kokkos::pair<std::size_t, std::size_t>(first, column.extent(0)));
}

/// Runs a law over all pairs of bodies with the first `sources` bodies; each body is the target of
/// one row. law.starting_at(first) returns the law with row 0 for body `first`. On the host a
/// thread processes `host_targets` packs of targets. With a poll the targets are processed in
/// batches (batches.hpp), which do not change any bit of a row. Does not fence at the end.
/// O(sources x bodies).
template <int host_targets, class Law>
void sweep_pairs(ExecutionSpace const& space, std::string const& label, Law const& law,
                 std::size_t sources, std::size_t bodies, Poll const& poll) {
  using forces::Staging;
  using Host = forces::Shape<Staging::scratch, 1, simd::native_lanes<double>, host_targets, 512, 1>;
  using Device = forces::Shape<Staging::scratch, 64, 1, 1, 64, 8>;
  using Shape = std::conditional_t<(lane_exchange::width > 1), Device, Host>;
  using Loop = forces::TileLoop<Law, Shape>;
  constexpr std::size_t first_pairs = std::size_t{1} << 22;
  auto const parts = forces::SourceParts::make(sources, 1, Shape::tile);
  launch_in_batches(
      space, label, bodies, sources > 0 ? first_pairs / sources : bodies, Loop::block_size, poll,
      [&](std::size_t first, std::size_t count) {
        Loop(law.starting_at(first), sources, {first, count}, parts).launch(space, label);
      });
}

/// Runs a law over all pairs of bodies; see sweep_pairs(). O(N^2).
template <int host_targets, class Law>
void sweep_all_pairs(ExecutionSpace const& space, std::string const& label, Law const& law,
                     std::size_t bodies, Poll const& poll) {
  sweep_pairs<host_targets>(space, label, law, bodies, bodies, poll);
}

}  // namespace apsis::diagnostics
