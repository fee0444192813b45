// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>

/// Numbers of the pairs of panels, those of a panel with itself included. They run through squares
/// of groups of panels, so that who has many in a row has whole groups (see sum_of_parts()) of what
/// a body gets, and teams at work read few panels: a column of squares after the other, (I, J) for
/// I = 0 ... J, and in each square a column of pairs after the other.
namespace apsis::forces {

constexpr std::size_t panels_of_group = 8;

struct PanelPair {
  std::size_t a, b;  ///< a <= b
};

constexpr std::size_t panel_pairs(std::size_t panels) {
  return panels * (panels + 1) / 2;
}

KOKKOS_INLINE_FUNCTION std::size_t number_of(PanelPair const& pair, std::size_t panels) {
  std::size_t const first = pair.b / panels_of_group * panels_of_group;
  std::size_t const width = panels - first < panels_of_group ? panels - first : panels_of_group;
  std::size_t const column = first * (first + 1) / 2, of_column = pair.b - first;
  if (pair.a >= first)
    return column + first * width + of_column * (of_column + 1) / 2 + pair.a - first;
  std::size_t const square = pair.a / panels_of_group;
  return column + square * panels_of_group * width + of_column * panels_of_group +
         pair.a % panels_of_group;
}

KOKKOS_INLINE_FUNCTION PanelPair pair_numbered(std::size_t number, std::size_t panels) {
  constexpr std::size_t group = panels_of_group;
  // Before column J are 8 J (8 J + 1) / 2 pairs. A root in double is off by one at most.
  auto column = static_cast<std::size_t>(
      (Kokkos::sqrt(1.0 + 8.0 * static_cast<double>(number)) - 1.0) / (2.0 * group));
  auto const before = [](std::size_t J) { return group * J * (group * J + 1) / 2; };
  while (before(column) > number) --column;
  while (before(column + 1) <= number) ++column;
  std::size_t const first = column * group;
  std::size_t const width = panels - first < group ? panels - first : group;
  std::size_t rest = number - before(column);
  if (rest < first * width) {
    std::size_t const square = rest / (group * width);
    rest -= square * group * width;
    return {square * group + rest % group, first + rest / group};
  }
  rest -= first * width;
  std::size_t of_column = 0;
  while (rest > of_column) rest -= ++of_column;
  return {first + rest, first + of_column};
}

}  // namespace apsis::forces
