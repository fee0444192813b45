// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cell_tree.hpp"
#include "key_sort.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/core/views.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// Selection of target cells, and the rows of results. If only some bodies are targets, cells
/// without targets are sources only. The result of a body does not depend on the other targets.
namespace apsis::forces::fmm {

constexpr std::uint32_t no_row = ~std::uint32_t{0};

/// Row of the result of each body, or no_row.
using RowOfBody = Kokkos::View<std::uint32_t*, MemorySpace>;

/// Target bodies of a sweep, and the rows of their results in the request.
class TargetRows {
 public:
  /// All bodies are targets; the row of a body is its index.
  static TargetRows all() { return {}; }
  /// The bodies that have a row in `row_of_body` are targets.
  static TargetRows listed(RowOfBody const& row_of_body) {
    TargetRows targets;
    targets.row_of_body_ = row_of_body;
    targets.is_all_ = false;
    return targets;
  }

  KOKKOS_FORCEINLINE_FUNCTION bool is_all() const { return is_all_; }
  /// Returns the row of a body, or no_row.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t row(std::uint32_t body) const {
    return is_all_ ? body : row_of_body_(body);
  }

 private:
  RowOfBody row_of_body_;
  bool is_all_ = true;
};

/// Rows in which a sweep over leaves stores its results.
class ResultRows {
 public:
  /// Results are stored in the rows of the targets. `order`: bodies in the order of the leaves.
  static ResultRows by_target(BodyOrder const& order, TargetRows const& targets) {
    ResultRows rows;
    rows.order_ = order;
    rows.targets_ = targets;
    return rows;
  }
  /// Results are stored in the order of the leaves, from `first_row` on.
  static ResultRows along_leaves(std::size_t first_row) {
    ResultRows rows;
    rows.is_along_leaves_ = true;
    rows.first_row_ = first_row;
    return rows;
  }

  /// Returns the row of a body, or no_row. `leaf_row`: its position in the swept leaves;
  /// `sorted_body`: its position in the order of all leaves.
  KOKKOS_FORCEINLINE_FUNCTION std::size_t row(std::size_t leaf_row, std::size_t sorted_body) const {
    return is_along_leaves_ ? first_row_ + leaf_row : targets_.row(order_(sorted_body));
  }

 private:
  BodyOrder order_;
  TargetRows targets_;
  std::size_t first_row_ = 0;
  bool is_along_leaves_ = false;
};

/// Target cells of one level: consecutive cells, or a part of a TargetList.
struct LevelTargets {
  CellId first = 1;         ///< first cell, or its index in the list
  CellId parent_first = 0;  ///< `first` of the level above
  CellId count = 1;
};

/// Cells that hold targets, in the order of their numbers: all cells, for which no list is stored,
/// or some.
struct TargetList {
  static TargetList all() { return {}; }

  Kokkos::View<CellId*, MemorySpace> cells;
  Kokkos::View<std::uint32_t*, MemorySpace> index;  ///< index of each cell in `cells`, or no_row

  KOKKOS_FORCEINLINE_FUNCTION bool is_all() const { return cells.extent(0) == 0; }
};

/// Marks each leaf that holds a target, and its ancestors, with an index other than no_row. Counts
/// these leaves: the function of a parallel reduction.
struct MarkTargets {
  CellTree tree;
  BodyOrder order;
  TargetRows targets;
  Kokkos::View<std::uint32_t*, MemorySpace> index;

  KOKKOS_FUNCTION void operator()(CellId j, CellId& count) const {
    CellId const leaf = tree.first_leaf() + j;
    bool has_target = false;
    for (std::size_t i = tree.begin(leaf); i < tree.end(leaf); ++i) {
      has_target = has_target || targets.row(order(i)) != no_row;
    }
    if (!has_target) return;
    ++count;
    // If this cell was marked before, all its ancestors are marked, or about to be.
    for (CellId cell = leaf; cell > 0; cell /= 2) {
      if (Kokkos::atomic_exchange(&index(cell), 0u) == 0u) return;
    }
  }
};

/// Writes the marked cells to a list, in order: the function of a parallel scan.
struct ListMarkedCells {
  Kokkos::View<CellId*, MemorySpace> cells;
  Kokkos::View<std::uint32_t*, MemorySpace> index;

  KOKKOS_FUNCTION void operator()(CellId cell, CellId& count, bool final) const {
    if (cell == 0 || index(cell) == no_row) return;
    if (final) {
      cells(count) = cell;
      index(cell) = count;
    }
    ++count;
  }
};

/// Rows of results in the order of the leaves that hold targets, `leaf_capacity` rows for each.
struct LeafRows {
  std::size_t count;
  BodyOrder order;
  CellTree tree;
  TargetList list;
  CellId first_leaf;  ///< list index of the first leaf
  TargetRows targets;

  /// Returns the body of a row, or no_row.
  KOKKOS_FUNCTION std::uint32_t body(std::size_t row) const {
    std::size_t i = row, end = tree.bodies;
    if (!list.is_all()) {
      CellId const leaf = list.cells(first_leaf + static_cast<CellId>(row / tree.leaf_capacity));
      i = tree.begin(leaf) + row % tree.leaf_capacity;
      end = tree.end(leaf);
    }
    if (i >= end) return no_row;
    std::uint32_t const body_index = order(i);
    return targets.row(body_index) != no_row ? body_index : no_row;
  }
};

/// Computes for each level the range of list indices of the ancestors of a range of leaves.
struct FindLevelRanges {
  TargetList list;
  CellTree tree;
  CellId first, last;  ///< list indices of leaves
  Kokkos::View<CellId* [2], Kokkos::LayoutRight, MemorySpace> ranges;

  KOKKOS_FUNCTION void operator()(int level) const {
    int const levels_up = tree.depth - level;
    ranges(level, 0) = list.index(list.cells(first) >> levels_up);
    ranges(level, 1) = list.index(list.cells(last) >> levels_up) + 1;
  }
};

/// Target cells of a sweep, and their ranges for each batch of leaves.
class TargetSelection {
 public:
  /// Selects the cells that hold targets. Keeps its memory between sweeps. Fences unless all bodies
  /// are targets.
  void select(ExecutionSpace const& space, CellTree const& tree, BodyOrder const& order,
              TargetRows const& targets) {
    tree_ = tree;
    leaves_ = tree.leaves;
    has_all_targets_ = targets.is_all();
    if (has_all_targets_) return;
    fit(space, list_.cells, "apsis::forces::fmm::target_cells", tree.rows());
    fit(space, list_.index, "apsis::forces::fmm::target_index", tree.rows());
    Kokkos::deep_copy(space, list_.index, no_row);
    Kokkos::parallel_reduce("apsis::forces::fmm::mark_targets",
                            index_range<CellId>(space, 0, tree.leaves),
                            MarkTargets{tree, order, targets, list_.index}, leaves_);
    CellId cells = 0;
    Kokkos::parallel_scan("apsis::forces::fmm::list_targets",
                          index_range<CellId>(space, 0, static_cast<CellId>(tree.rows())),
                          ListMarkedCells{list_.cells, list_.index}, cells);
    first_leaf_ = cells - leaves_;
  }

  /// Number of leaves with targets.
  CellId leaves() const { return leaves_; }
  TargetList list() const { return has_all_targets_ ? TargetList::all() : list_; }
  LeafRows rows(BodyOrder const& order, TargetRows const& targets) const {
    return {leaves_ * tree_.leaf_capacity, order, tree_, list(), first_leaf_, targets};
  }

  /// Returns `count` leaves with targets, from the `begin`-th on, as targets. `parent_first`: first
  /// target of the level above.
  LevelTargets leaf_targets(CellId begin, CellId count, CellId parent_first) const {
    return {(has_all_targets_ ? tree_.first_leaf() : first_leaf_) + begin, parent_first, count};
  }

  /// Returns the targets of each level, from the root on: the ancestors of the leaves [begin, end).
  /// Fences unless all bodies are targets.
  std::vector<LevelTargets> levels(ExecutionSpace const& space, CellId begin, CellId end) {
    std::vector<LevelTargets> levels(static_cast<std::size_t>(tree_.depth) + 1);
    Kokkos::View<CellId* [2], Kokkos::LayoutRight, Kokkos::HostSpace> const ranges(
        "apsis::forces::fmm::target_ranges", levels.size());
    if (!has_all_targets_) {
      fit(space, ranges_, "apsis::forces::fmm::target_ranges", levels.size());
      for_each<int>(
          space, "apsis::forces::fmm::target_ranges", tree_.depth + 1,
          FindLevelRanges{list_, tree_, first_leaf_ + begin, first_leaf_ + end - 1, ranges_});
      Kokkos::deep_copy(space, ranges, ranges_);
      space.fence("apsis::forces::fmm: the host reads how many targets each level has");
    }
    for (int level = 0; level <= tree_.depth; ++level) {
      auto& targets = levels[static_cast<std::size_t>(level)];
      CellId const first = CellId{1} << level;
      auto const row = static_cast<std::size_t>(level);
      CellId const first_target =
          has_all_targets_ ? first + tree_.ancestor_begin(begin, level) : ranges(row, 0);
      CellId const end_target =
          has_all_targets_ ? first + tree_.ancestor_end(end, level) : ranges(row, 1);
      targets = {first_target, level == 0 ? 0 : levels[row - 1].first, end_target - first_target};
    }
    return levels;
  }

 private:
  CellTree tree_;
  bool has_all_targets_ = true;
  CellId leaves_ = 0;      ///< leaves with targets
  CellId first_leaf_ = 0;  ///< list index of the first one
  TargetList list_;
  Kokkos::View<CellId* [2], Kokkos::LayoutRight, MemorySpace> ranges_;
};

}  // namespace apsis::forces::fmm
