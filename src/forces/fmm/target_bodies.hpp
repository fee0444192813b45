// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cells.hpp"
#include "curve_order.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// Sweeps for some of the bodies: cells without any of them are sources alone. What is found of a
/// body does not depend on who else is a target.
namespace apsis::forces::fmm {

constexpr std::uint32_t nowhere = ~std::uint32_t{0};

/// Rows of what is found of each body, or nowhere; an empty one: all bodies are targets.
using RowOfBody = Kokkos::View<std::uint32_t*, MemorySpace>;

/// Cells of one level whose fields are wanted: such as follow each other, or a part of a list.
struct LevelTargets {
  CellId first = 1;         ///< the cell, or its place in the list
  CellId parent_first = 0;  ///< of the level above
  CellId count = 1;
};

/// The cells that hold targets, level by level; nothing: all do.
struct TargetList {
  Kokkos::View<CellId*, MemorySpace> cells;
  Kokkos::View<std::uint32_t*, MemorySpace> place;  ///< of each cell among them, or nowhere

  KOKKOS_FORCEINLINE_FUNCTION bool is_all() const { return cells.extent(0) == 0; }
};

/// Marks each leaf that holds a target, and what it is in.
struct MarkTargets {
  Division division;
  BodyOrder along;
  RowOfBody row_of_body;
  Kokkos::View<std::uint32_t*, MemorySpace> place;

  KOKKOS_FUNCTION void operator()(CellId j, CellId& count) const {
    CellId const leaf = division.first_leaf() + j;
    bool wanted = false;
    for (std::size_t i = division.begin(leaf); i < division.end(leaf); ++i) {
      wanted = wanted || row_of_body(along(i)) != nowhere;
    }
    if (!wanted) return;
    ++count;
    // Whoever comes second finds all above marked, or about to be.
    for (CellId cell = leaf; cell > 0; cell /= 2) {
      if (Kokkos::atomic_exchange(&place(cell), 0u) == 0u) return;
    }
  }
};

struct ListMarked {
  Kokkos::View<CellId*, MemorySpace> cells;
  Kokkos::View<std::uint32_t*, MemorySpace> place;

  KOKKOS_FUNCTION void operator()(CellId cell, CellId& count, bool final) const {
    if (cell == 0 || place(cell) == nowhere) return;
    if (final) {
      cells(count) = cell;
      place(cell) = count;
    }
    ++count;
  }
};

/// Rows in the order of the leaves that hold targets, as many for each as a leaf has at most.
struct RowsOfLeaves {
  std::size_t count;
  BodyOrder along;
  Division division;
  TargetList list;
  CellId first_leaf;  ///< its place in the list
  RowOfBody row_of_body;

  /// Whose row it is, or nowhere.
  KOKKOS_FUNCTION std::uint32_t body(std::size_t row) const {
    std::size_t i = row, end = division.bodies;
    if (!list.is_all()) {
      CellId const leaf = list.cells(first_leaf + static_cast<CellId>(row / division.leaf));
      i = division.begin(leaf) + row % division.leaf;
      end = division.end(leaf);
    }
    if (i >= end) return nowhere;
    std::uint32_t const found = along(i);
    return list.is_all() || row_of_body(found) != nowhere ? found : nowhere;
  }
};

/// Of each level the places, from the first to behind the last, of cells that two leaves are in.
struct FindEnds {
  TargetList list;
  Division division;
  CellId first, last;  ///< places of leaves
  Kokkos::View<CellId* [2], Kokkos::LayoutRight, MemorySpace> ends;

  KOKKOS_FUNCTION void operator()(int level) const {
    int const above = division.depth - level;
    ends(level, 0) = list.place(list.cells(first) >> above);
    ends(level, 1) = list.place(list.cells(last) >> above) + 1;
  }
};

/// Which cells are targets of a sweep, and in what lots.
class TargetCellsOf {
 public:
  /// Keeps its room from one sweep to the next. Fences if not all are wanted.
  void list(ExecutionSpace const& space, Division const& division, BodyOrder const& along,
            RowOfBody const& row_of_body) {
    division_ = division;
    leaves_ = division.leaves;
    all_ = row_of_body.extent(0) == 0;
    if (all_) return;
    allocate(space, list_.cells, "apsis::forces::fmm::target_cells", division.rows());
    allocate(space, list_.place, "apsis::forces::fmm::target_places", division.rows());
    Kokkos::deep_copy(space, list_.place, nowhere);
    Kokkos::parallel_reduce(
        "apsis::forces::fmm::mark_targets",
        Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<CellId>>(space, 0, division.leaves),
        MarkTargets{division, along, row_of_body, list_.place}, leaves_);
    CellId cells = 0;
    Kokkos::parallel_scan("apsis::forces::fmm::list_targets",
                          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<CellId>>(
                              space, 0, static_cast<CellId>(division.rows())),
                          ListMarked{list_.cells, list_.place}, cells);
    first_leaf_ = cells - leaves_;
  }

  /// Leaves with targets.
  CellId leaves() const { return leaves_; }
  TargetList list() const { return all_ ? TargetList() : list_; }
  RowsOfLeaves rows(BodyOrder const& along, RowOfBody const& row_of_body) const {
    return {leaves_ * division_.leaf, along, division_, list(), first_leaf_, row_of_body};
  }

  /// So many leaves as targets, whose parents begin at `parent_first`.
  LevelTargets leaf_targets(CellId begin, CellId count, CellId parent_first) const {
    return {(all_ ? division_.first_leaf() : first_leaf_) + begin, parent_first, count};
  }

  /// The targets of each level, from the whole on, above those of the leaves from `begin` to
  /// `end`. Fences if not all are wanted.
  std::vector<LevelTargets> levels(ExecutionSpace const& space, CellId begin, CellId end) {
    std::vector<LevelTargets> all(static_cast<std::size_t>(division_.depth) + 1);
    Kokkos::View<CellId* [2], Kokkos::LayoutRight, Kokkos::HostSpace> const ends(
        "apsis::forces::fmm::target_ends", all.size());
    if (!all_) {
      allocate(space, ends_, "apsis::forces::fmm::target_ends", all.size());
      Kokkos::parallel_for(
          "apsis::forces::fmm::target_ends",
          Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<int>>(space, 0,
                                                                      division_.depth + 1),
          FindEnds{list_, division_, first_leaf_ + begin, first_leaf_ + end - 1, ends_});
      Kokkos::deep_copy(space, ends, ends_);
      space.fence("apsis::forces::fmm: the host reads how many targets each level has");
    }
    for (int level = 0; level <= division_.depth; ++level) {
      auto& of = all[static_cast<std::size_t>(level)];
      CellId const first = CellId{1} << level;
      auto const row = static_cast<std::size_t>(level);
      CellId const from = all_ ? first + division_.ancestor_begin(begin, level) : ends(row, 0);
      CellId const to = all_ ? first + division_.ancestor_end(end, level) : ends(row, 1);
      of = {from, level == 0 ? 0 : all[row - 1].first, to - from};
    }
    return all;
  }

 private:
  Division division_;
  bool all_ = true;
  CellId leaves_ = 0, first_leaf_ = 0;  ///< the first leaf's place in the list
  TargetList list_;
  Kokkos::View<CellId* [2], Kokkos::LayoutRight, MemorySpace> ends_;
};

}  // namespace apsis::forces::fmm
