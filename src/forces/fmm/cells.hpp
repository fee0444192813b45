// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "division.hpp"
#include "expansion.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/core/execution.hpp>

#include <cstddef>
#include <string>

namespace apsis::forces::fmm {

/// A View of so many rows and columns, whatever is in it.
template <class View, class... Extents>
void allocate(ExecutionSpace const& space, View& view, std::string const& label,
              Extents... extents) {
  view = View();
  view = View(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, label), extents...);
}

/// What expansions are in: powers of two, so that they cost no digit. Lengths are in units between
/// those of the smallest and the largest cell, since high powers of them must not leave the range
/// of a number; masses in that of all.
struct Units {
  double length = 1.0;  ///< [length]
  double mass = 1.0;    ///< [mass]
};

/// What decides of a cell or body, in one piece of memory.
template <class Number>
struct alignas(32) Node {
  typename Number::Stored at[3];     ///< centre of mass [length]
  typename Number::Real radius;      ///< in units
  typename Number::Real mass, pull;  ///< in units; of the body that is pulled least
};

/// The bodies in the order of the curve, and all cells of them.
template <class Number, int order>
struct Cells {
  using Stored = typename Number::Stored;
  using Real = typename Number::Real;
  using Terms = Expansion<Real, order>;

  Division division;
  Units units;
  VectorColumns<Stored> position;  ///< of bodies along the curve
  Column<Stored> mass;
  Kokkos::View<Real*, MemorySpace> body_pull;  ///< the body's acceleration, in units; or nothing
  Kokkos::View<Stored* [4], Kokkos::LayoutRight, MemorySpace> place;  ///< centre of mass, radius
  Kokkos::View<double*, MemorySpace> cell_mass;                       ///< [mass]
  Kokkos::View<Node<Number>*, MemorySpace> nodes;                     ///< of cells
  Kokkos::View<Real**, Kokkos::LayoutRight, MemorySpace>
      moments;  ///< in units, a row for each cell

  /// From a place of a cell to another, in units.
  KOKKOS_FORCEINLINE_FUNCTION Way<Real> way(Stored const* from, Stored const* to) const {
    auto const over = static_cast<Stored>(1.0 / units.length);
    return {static_cast<Real>((to[0] - from[0]) * over),
            static_cast<Real>((to[1] - from[1]) * over),
            static_cast<Real>((to[2] - from[2]) * over)};
  }
  KOKKOS_FORCEINLINE_FUNCTION void set_node(CellId cell, Real of_mass, Real least_pull) const {
    auto& node = nodes(cell);
    for (int axis = 0; axis < 3; ++axis) node.at[axis] = place(cell, axis);
    node.radius = static_cast<Real>(static_cast<double>(place(cell, 3)) / units.length);
    node.mass = of_mass;
    node.pull = least_pull;
  }
  KOKKOS_FORCEINLINE_FUNCTION Real mass_in_units(std::size_t body) const {
    return static_cast<Real>(static_cast<double>(mass(body)) / units.mass);
  }
  KOKKOS_FORCEINLINE_FUNCTION Stored const* centre(CellId cell) const { return &place(cell, 0); }
};

}  // namespace apsis::forces::fmm
