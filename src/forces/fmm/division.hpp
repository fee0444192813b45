// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace apsis::forces::fmm {

/// A cell, numbered as in a heap: 1 is the whole, 2k and 2k + 1 are the halves of k. With the
/// highest bit a single body.
using CellId = std::uint32_t;
constexpr CellId one_body = CellId{1} << 31;
constexpr std::size_t most_bodies = std::size_t{1} << 30;

/// Cuts bodies that follow each other on a curve into leaves of so many, and these into halves of
/// halves. It depends on the number of bodies alone: memory is known before anything is allocated,
/// and bodies in one place make no cell deeper.
struct Division {
  std::size_t bodies = 0;
  std::size_t leaf = 1;  ///< bodies of a leaf; the last may have fewer
  CellId leaves = 0;
  int depth = 0;  ///< level of the leaves; 0 is that of the whole

  static Division of(std::size_t bodies, std::size_t leaf) {
    Division all{bodies, leaf, static_cast<CellId>((bodies + leaf - 1) / leaf), 0};
    while ((CellId{1} << all.depth) < all.leaves) ++all.depth;
    return all;
  }

  KOKKOS_INLINE_FUNCTION CellId first_leaf() const { return CellId{1} << depth; }
  /// Rows of a table of cells: some, of halves without leaves, are not used.
  std::size_t rows() const { return std::size_t{first_leaf()} + leaves; }
  KOKKOS_INLINE_FUNCTION bool is_leaf(CellId cell) const { return cell >= first_leaf(); }
  KOKKOS_INLINE_FUNCTION static bool is_body(CellId cell) { return (cell & one_body) != 0; }

  /// Cells of a level, whose first is 2^level.
  KOKKOS_INLINE_FUNCTION CellId count_at(int level) const {
    int const below = depth - level;
    return (leaves + (CellId{1} << below) - 1) >> below;
  }
  KOKKOS_INLINE_FUNCTION int level_of(CellId cell) const {
    return static_cast<int>(Kokkos::bit_width(cell)) - 1;
  }
  KOKKOS_INLINE_FUNCTION bool exists(CellId cell) const {
    int const level = level_of(cell);
    return cell - (CellId{1} << level) < count_at(level);
  }
  /// Of the ancestors at a level of leaves number `begin` to `end`, the same.
  CellId ancestor_begin(CellId begin_leaf, int level) const {
    return begin_leaf >> (depth - level);
  }
  CellId ancestor_end(CellId end_leaf, int level) const {
    return ((end_leaf - 1) >> (depth - level)) + 1;
  }
  /// The bodies of a leaf.
  KOKKOS_INLINE_FUNCTION std::size_t begin(CellId leaf_cell) const {
    return (leaf_cell - first_leaf()) * leaf;
  }
  KOKKOS_INLINE_FUNCTION std::size_t end(CellId leaf_cell) const {
    std::size_t const behind = begin(leaf_cell) + leaf;
    return behind < bodies ? behind : bodies;
  }
};

}  // namespace apsis::forces::fmm
