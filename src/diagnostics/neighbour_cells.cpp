// SPDX-License-Identifier: Apache-2.0
#include "neighbour_cells.hpp"

#include "forces/fmm/tree/hilbert.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/core/error.hpp>
#include <apsis/core/views.hpp>

namespace apsis::diagnostics {

namespace {

using forces::fmm::BodyOrder;
using forces::fmm::CellId;
using forces::fmm::CellTree;
using forces::fmm::KeyedBodies;

/// Ranks of the sources along each axis.
using Ranks = Kokkos::View<std::uint32_t* [3], Kokkos::LayoutLeft, MemorySpace>;

/// Keys that rise with a coordinate: the bits of a double, with the sign bit set and all bits of
/// negative numbers inverted. -0 counts as 0, NaN as the largest.
struct CoordinateKeys {
  ReadColumns position;
  int axis;
  KeyedBodies::Keys keys;
  BodyOrder order;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    double const x = position(i, axis) + 0.0;
    auto const bits = Kokkos::bit_cast<std::uint64_t>(x);
    constexpr auto sign = std::uint64_t{1} << 63;
    keys(i) = Kokkos::isnan(x) ? ~std::uint64_t{0} : (bits & sign) != 0 ? ~bits : bits | sign;
    order(i) = static_cast<std::uint32_t>(i);
  }
};

/// Number of sources with a smaller coordinate. Precondition: the keys are sorted.
struct RanksAlongAxis {
  KeyedBodies::Keys keys;
  BodyOrder order;
  int axis;
  Ranks ranks;

  KOKKOS_FUNCTION void operator()(std::size_t place) const {
    std::size_t low = 0, high = place;  // the first equal key is in [low, high]
    if (place > 0 && keys(place - 1) != keys(place)) low = place;
    while (low < high) {
      std::size_t const middle = low + (high - low) / 2;
      if (keys(middle) < keys(place)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    ranks(order(place), axis) = static_cast<std::uint32_t>(low);
  }
};

/// Position on Hilbert's curve through the ranks.
struct RankKeys {
  Ranks ranks;
  int left_shift, right_shift;  ///< from ranks to cubes
  KeyedBodies::Keys keys;
  BodyOrder order;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    keys(i) = forces::fmm::hilbert_key(cube(i, 0), cube(i, 1), cube(i, 2));
    order(i) = static_cast<std::uint32_t>(i);
  }

 private:
  KOKKOS_FUNCTION std::uint32_t cube(std::size_t i, int axis) const {
    return ranks(i, axis) << left_shift >> right_shift;
  }
};

/// Sorts the sources along Hilbert's curve through the space of their ranks along each axis (Qi et
/// al. 2018, PVLDB 11, 621). Sources with different coordinates have different cubes as long as
/// there are at most 2^21, no matter how concentrated they are: the core of a cluster with an
/// escaper far away has the same order as without it.
BodyOrder sort_by_ranks(ExecutionSpace const& space, ReadColumns const& position,
                        std::size_t sources) {
  KeyedBodies keyed;
  keyed.resize(space, sources);
  auto const ranks =
      uninitialised<Ranks>(space, "apsis::diagnostics::neighbour_cells::ranks", sources);
  for (int axis = 0; axis < 3; ++axis) {
    for_each(space, "apsis::diagnostics::neighbour_cells::coordinate_keys", sources,
             CoordinateKeys{position, axis, keyed.keys, keyed.order});
    keyed.sort(space);
    for_each(space, "apsis::diagnostics::neighbour_cells::ranks", sources,
             RanksAlongAxis{keyed.keys, keyed.order, axis, ranks});
  }
  int const surplus = static_cast<int>(Kokkos::bit_width(sources - 1)) - forces::fmm::hilbert_bits;
  for_each(space, "apsis::diagnostics::neighbour_cells::keys", sources,
           RankKeys{ranks, surplus < 0 ? -surplus : 0, surplus > 0 ? surplus : 0, keyed.keys,
                    keyed.order});
  keyed.sort(space);
  space.fence("apsis::diagnostics::neighbour_cells: temporaries are freed");
  return keyed.order;
}

struct SortPositions {
  ReadColumns position;
  NeighbourCells cells;

  KOKKOS_FUNCTION void operator()(std::size_t place) const {
    for (int axis = 0; axis < 3; ++axis) {
      cells.position(place, axis) = place < cells.tree.bodies
                                        ? position(cells.order(place), axis)
                                        : Kokkos::Experimental::quiet_NaN_v<double>;
    }
  }
};

struct LeafBoxes {
  NeighbourCells cells;

  KOKKOS_FUNCTION void operator()(CellId leaf) const {
    CellId const cell = cells.tree.first_leaf() + leaf;
    auto box = NeighbourBox::empty();
    for (std::size_t i = cells.tree.begin(cell); i < cells.tree.end(cell); ++i) {
      auto const r = row(cells.position, i);
      box.include({{r.x, r.y, r.z}, {r.x, r.y, r.z}, cells.order(i)});
    }
    cells.boxes(cell) = box;
  }
};

struct ParentBoxes {
  NeighbourCells cells;

  KOKKOS_FUNCTION void operator()(CellId cell) const {
    auto box = cells.boxes(2 * cell);
    if (cells.tree.exists(2 * cell + 1)) box.include(cells.boxes(2 * cell + 1));
    cells.boxes(cell) = box;
  }
};

}  // namespace

NeighbourCells build_neighbour_cells(ExecutionSpace const& space, ReadColumns const& position,
                                     std::size_t sources) {
  APSIS_EXPECT(sources < forces::fmm::max_bodies, "cells are numbered with 32 bits");
  constexpr auto leaf = static_cast<std::size_t>(NeighbourCells::leaf);
  NeighbourCells cells;
  cells.tree = CellTree::make(sources, leaf);
  if (sources == 0) return cells;
  cells.order = sort_by_ranks(space, position, sources);
  std::size_t const padded = cells.tree.leaves * leaf;
  cells.position = uninitialised<VectorColumns<double>>(
      space, "apsis::diagnostics::neighbour_cells::position", padded);
  cells.boxes = uninitialised<Kokkos::View<NeighbourBox*, MemorySpace>>(
      space, "apsis::diagnostics::neighbour_cells::boxes", cells.tree.rows());
  forces::fmm::Arrivals const arrivals(
      Kokkos::view_alloc(space, "apsis::diagnostics::neighbour_cells::arrivals"),
      cells.tree.rows());
  for_each(space, "apsis::diagnostics::neighbour_cells::positions", padded,
           SortPositions{position, cells});
  for_each<CellId>(space, "apsis::diagnostics::neighbour_cells::leaf_boxes", cells.tree.leaves,
                   LeafBoxes{cells});
  forces::fmm::upward_pass(space, "apsis::diagnostics::neighbour_cells::boxes", cells.tree,
                           arrivals, ParentBoxes{cells});
  space.fence("apsis::diagnostics::neighbour_cells: temporaries are freed");
  return cells;
}

}  // namespace apsis::diagnostics
