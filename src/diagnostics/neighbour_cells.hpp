// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forces/fmm/tree/cell_tree.hpp"
#include "forces/fmm/tree/key_sort.hpp"
#include "forces/pair.hpp"
#include "lanes/simd.hpp"
#include <apsis/bodies/read_columns.hpp>

#include <cstddef>
#include <cstdint>

/// Search for nearest neighbours in a tree of boxes, in kernels.
namespace apsis::diagnostics {

/// The nearest sources of a target so far, in ascending order of squared distance and, at equal
/// distances, of index. Entries that are not filled have an infinite squared distance and index 0;
/// so a source at an infinite distance, or at NaN, is never inserted. All array indices are
/// compile-time constants, so that the arrays stay in registers.
template <int neighbours>
struct NearestList {
  static constexpr int last = neighbours - 1;
  double squared[neighbours];
  std::uint32_t index[neighbours];

  KOKKOS_FORCEINLINE_FUNCTION NearestList() {
    for (int k = 0; k <= last; ++k) {
      squared[k] = Kokkos::Experimental::infinity_v<double>;
      index[k] = 0;
    }
  }
  /// Whether a source with this squared distance and index precedes entry k.
  KOKKOS_FORCEINLINE_FUNCTION bool precedes(int k, double r_squared, std::uint32_t i) const {
    return r_squared < squared[k] || (r_squared == squared[k] && i < index[k]);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool admits(double r_squared, std::uint32_t i) const {
    return precedes(last, r_squared, i);
  }
  /// Inserts a source that the list admits.
  KOKKOS_FORCEINLINE_FUNCTION void insert(double r_squared, std::uint32_t i) {
    bool before = true;  // whether the source precedes entry k
    APSIS_DEVICE_UNROLL
    for (int k = last; k > 0; --k) {
      bool const before_previous = precedes(k - 1, r_squared, i);
      squared[k] = before_previous ? squared[k - 1] : (before ? r_squared : squared[k]);
      index[k] = before_previous ? index[k - 1] : (before ? i : index[k]);
      before = before_previous;
    }
    squared[0] = before ? r_squared : squared[0];
    index[0] = before ? i : index[0];
  }
};

/// Smallest box around the sources of a cell (a coordinate that is NaN is left out), and the
/// smallest index of its sources.
struct NeighbourBox {
  double low[3], high[3];
  std::uint32_t least_index;

  KOKKOS_FUNCTION static NeighbourBox empty() {
    constexpr double far = Kokkos::Experimental::infinity_v<double>;
    return {{far, far, far}, {-far, -far, -far}, ~std::uint32_t{0}};
  }
  KOKKOS_FUNCTION void include(NeighbourBox const& other) {
    for (int axis = 0; axis < 3; ++axis) {
      if (other.low[axis] < low[axis]) low[axis] = other.low[axis];
      if (other.high[axis] > high[axis]) high[axis] = other.high[axis];
    }
    if (other.least_index < least_index) least_index = other.least_index;
  }
  /// Lower bound of the squared distances between a target and the sources of the cell. It holds
  /// for the rounded distances too: rounding is monotonic, and the arithmetic is the same.
  KOKKOS_FORCEINLINE_FUNCTION double squared_distance(forces::Point<double> const& target) const {
    forces::PointMass<double> const gap{gap_along(0, target.x), gap_along(1, target.y),
                                        gap_along(2, target.z), 0.0};
    return forces::separation(forces::Point<double>{0.0, 0.0, 0.0}, gap, 0.0).squared;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION double gap_along(int axis, double x) const {
    double const below = low[axis] - x, above = x - high[axis];
    double const gap = below > above ? below : above;
    return gap > 0.0 ? gap : 0.0;
  }
};

/// Sources sorted along a space-filling curve, and a binary tree of boxes over them.
struct NeighbourCells {
  static constexpr int leaf = 8;  ///< sources per leaf
  static constexpr int lanes = simd::native_lanes<double>;
  static_assert(leaf % lanes == 0);
  using Lanes = typename simd::Pack<double, lanes>::type;

  forces::fmm::CellTree tree;
  forces::fmm::BodyOrder order;    ///< index of the first, second, ... sorted source
  VectorColumns<double> position;  ///< of the sorted sources; the last leaf is filled up with NaN
  Kokkos::View<NeighbourBox*, MemorySpace> boxes;  ///< by cell

  /// Finds the nearest sources of a target. If the target is a source, `rank` is its place in the
  /// order and its index is excluded; otherwise `rank` is the number of sources. O(log N) on
  /// average, for coincident sources too: at equal distances, cells with higher indices are
  /// skipped.
  template <int neighbours>
  KOKKOS_FUNCTION NearestList<neighbours> search(forces::Point<double> const& target,
                                                 std::size_t rank) const {
    NearestList<neighbours> list;
    bool const is_finite =
        Kokkos::isfinite(target.x) && Kokkos::isfinite(target.y) && Kokkos::isfinite(target.z);
    if (!is_finite || tree.bodies == 0) return list;
    if (rank >= tree.bodies) {
      descend(target, no_index, 1, list);
      return list;
    }
    // The leaf of the target first, then the siblings of its ancestors: near cells come first.
    std::uint32_t const self = order(rank);
    auto cell = tree.first_leaf() + static_cast<forces::fmm::CellId>(rank / leaf);
    scan(target, self, cell, list);
    for (; cell > 1; cell /= 2) {
      auto const sibling = cell ^ 1u;
      if (tree.exists(sibling)) descend(target, self, sibling, list);
    }
    return list;
  }

 private:
  using CellId = forces::fmm::CellId;
  static constexpr std::uint32_t no_index = ~std::uint32_t{0};

  /// Searches a cell, children with the smaller bound first.
  template <int neighbours>
  KOKKOS_FORCEINLINE_FUNCTION void descend(forces::Point<double> const& target, std::uint32_t self,
                                           CellId cell, NearestList<neighbours>& list) const {
    constexpr int most_levels = 32;
    CellId waiting[most_levels];
    double waiting_bound[most_levels];
    int count = 0;
    double bound = boxes(cell).squared_distance(target);
    while (true) {
      if (list.admits(bound, boxes(cell).least_index)) {
        if (!tree.is_leaf(cell)) {
          CellId near = 2 * cell, far = near + 1;
          double near_bound = boxes(near).squared_distance(target);
          if (tree.exists(far)) {
            double far_bound = boxes(far).squared_distance(target);
            bool const is_far_first =
                far_bound < near_bound ||
                (far_bound == near_bound && boxes(far).least_index < boxes(near).least_index);
            if (is_far_first) {
              Kokkos::kokkos_swap(near, far);
              Kokkos::kokkos_swap(near_bound, far_bound);
            }
            waiting[count] = far;
            waiting_bound[count] = far_bound;
            ++count;
          }
          cell = near;
          bound = near_bound;
          continue;
        }
        scan(target, self, cell, list);
      }
      if (count == 0) return;
      --count;
      cell = waiting[count];
      bound = waiting_bound[count];
    }
  }

  /// Inserts the sources of a leaf.
  template <int neighbours>
  KOKKOS_FORCEINLINE_FUNCTION void scan(forces::Point<double> const& target, std::uint32_t self,
                                        CellId cell, NearestList<neighbours>& list) const {
    std::size_t const begin = tree.begin(cell);
    forces::Point<Lanes> const targets{Lanes{} + target.x, Lanes{} + target.y, Lanes{} + target.z};
    for (int tile = 0; tile < leaf; tile += lanes) {
      std::size_t const first = begin + static_cast<std::size_t>(tile);
      forces::PointMass<Lanes> const sources{simd::loaded<Lanes>(&position(first, 0)),
                                             simd::loaded<Lanes>(&position(first, 1)),
                                             simd::loaded<Lanes>(&position(first, 2)), Lanes{}};
      Lanes const squared = forces::separation(targets, sources, 0.0).squared;
      for (int k = 0; k < lanes; ++k) {
        double const r_squared = simd::lane<double>(squared, k);
        if (!(r_squared <= list.squared[NearestList<neighbours>::last])) continue;
        std::uint32_t const i = order(first + static_cast<std::size_t>(k));
        if (i != self && list.admits(r_squared, i)) list.insert(r_squared, i);
      }
    }
  }
};

/// Builds the cells over the first `sources` rows of `position`. The result does not depend on the
/// number of threads. O(N); fences. Precondition: fewer than 2^30 sources.
NeighbourCells build_neighbour_cells(ExecutionSpace const& space, ReadColumns const& position,
                                     std::size_t sources);

}  // namespace apsis::diagnostics
