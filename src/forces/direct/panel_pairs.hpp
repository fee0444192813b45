// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>

/// Indices of the pairs of panels, including each panel with itself. The order runs through squares
/// of groups of panels, column by column, (I, J) for I = 0 ... J, and in each square through
/// columns of pairs. A rank with a contiguous range therefore holds whole groups (see
/// sum_of_parts()) of the partial sums of a body, and concurrent teams read few panels.
namespace apsis::forces {

constexpr std::size_t panels_of_group = 8;

struct PanelPair {
  std::size_t a, b;  ///< a <= b
};

constexpr std::size_t panel_pairs(std::size_t panels) {
  return panels * (panels + 1) / 2;
}

KOKKOS_INLINE_FUNCTION std::size_t pair_index(PanelPair const& pair, std::size_t panels) {
  std::size_t const first = pair.b / panels_of_group * panels_of_group;
  std::size_t const width = panels - first < panels_of_group ? panels - first : panels_of_group;
  std::size_t const column = first * (first + 1) / 2, column_index = pair.b - first;
  if (pair.a >= first)
    return column + first * width + column_index * (column_index + 1) / 2 + pair.a - first;
  std::size_t const square = pair.a / panels_of_group;
  return column + square * panels_of_group * width + column_index * panels_of_group +
         pair.a % panels_of_group;
}

KOKKOS_INLINE_FUNCTION PanelPair pair_from_index(std::size_t index, std::size_t panels) {
  constexpr std::size_t group = panels_of_group;
  // Column J begins at index 8 J (8 J + 1) / 2. A root in double is off by one at most.
  auto column = static_cast<std::size_t>(
      (Kokkos::sqrt(1.0 + 8.0 * static_cast<double>(index)) - 1.0) / (2.0 * group));
  auto const before = [](std::size_t J) { return group * J * (group * J + 1) / 2; };
  while (before(column) > index) --column;
  while (before(column + 1) <= index) ++column;
  std::size_t const first = column * group;
  std::size_t const width = panels - first < group ? panels - first : group;
  std::size_t remainder = index - before(column);
  if (remainder < first * width) {
    std::size_t const square = remainder / (group * width);
    remainder -= square * group * width;
    return {square * group + remainder % group, first + remainder / group};
  }
  remainder -= first * width;
  std::size_t column_index = 0;
  while (remainder > column_index) remainder -= ++column_index;
  return {first + remainder, first + column_index};
}

}  // namespace apsis::forces
