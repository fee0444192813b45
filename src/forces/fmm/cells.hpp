// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "division.hpp"
#include "expansion.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/core/transpose.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace apsis::forces::fmm {

/// A View of so many rows, and columns if they are not fixed, whatever is in it. It stays where it
/// has as many.
template <class View, class... Extents>
void allocate(ExecutionSpace const& space, View& view, std::string const& label, std::size_t rows,
              Extents... columns) {
  if (view.is_allocated() && view.extent(0) == rows) return;
  view = View();
  view = View(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, label), rows, columns...);
}

/// What everything of a sweep is in: powers of two, so that they cost no digit. Lengths are in
/// units between those of the smallest and the largest cell, since high powers of them must not
/// leave the range of a number; masses in that of all.
struct Units {
  double length = 1.0;  ///< [length]
  double mass = 1.0;    ///< [mass]
};

/// What decides of a cell or body, in one piece of memory.
template <class Number>
struct alignas(8 * sizeof(typename Number::Real)) Node {
  typename Number::Stored at[3];  ///< centre of mass
  typename Number::Real radius;
  typename Number::Real mass, pull;  ///< of the body that is pulled least
  typename Number::Real halves;      ///< how many of them there are: 0 of a leaf or body
  static constexpr int numbers = 7;
};

/// Rows of expansions, each of which begins where as many numbers can be loaded as are at once.
template <class Real>
using Expansions = Kokkos::View<Real**, Kokkos::LayoutRight, MemorySpace>;
template <class Real>
constexpr std::size_t columns_to(int order) {
  constexpr int block = simd::row_block<Real>;
  return static_cast<std::size_t>((terms_to(order) + block - 1) / block * block);
}

/// The bodies in the order of the curve, and all cells of them, in units.
template <class Number>
struct Cells {
  using Stored = typename Number::Stored;
  using Real = typename Number::Real;

  Division division;
  Units units;
  VectorColumns<Stored> position;  ///< of bodies along the curve
  Column<Stored> mass;
  Kokkos::View<Real*, MemorySpace> body_pull;  ///< the body's acceleration; or nothing
  Kokkos::View<Stored* [4], Kokkos::LayoutRight, MemorySpace> place;  ///< centre of mass, radius
  Kokkos::View<double*, MemorySpace> cell_mass;
  Kokkos::View<Node<Number>*, MemorySpace> nodes;  ///< of cells
  Expansions<Real> moments;                        ///< of cells; row 0 is nobody's, and zero

  KOKKOS_FORCEINLINE_FUNCTION static Way<Real> way(Stored const* from, Stored const* to) {
    return {static_cast<Real>(to[0] - from[0]), static_cast<Real>(to[1] - from[1]),
            static_cast<Real>(to[2] - from[2])};
  }
  KOKKOS_FORCEINLINE_FUNCTION void set_node(CellId cell, Real of_mass, Real least_pull) const {
    auto& node = nodes(cell);
    for (int axis = 0; axis < 3; ++axis) node.at[axis] = place(cell, axis);
    node.radius = static_cast<Real>(place(cell, 3));
    node.mass = of_mass;
    node.pull = least_pull;
    node.halves = Real(division.is_leaf(cell) ? 0 : division.exists(2 * cell + 1) ? 2 : 1);
  }
  KOKKOS_FORCEINLINE_FUNCTION Stored const* centre(CellId cell) const { return &place(cell, 0); }
};

}  // namespace apsis::forces::fmm
