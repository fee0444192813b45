// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "expansion.hpp"
#include "forces/fmm/tree/cell_tree.hpp"
#include "lanes/transpose.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/core/views.hpp>

#include <cstddef>
#include <cstdint>

namespace apsis::forces::fmm {

/// Internal units of a sweep: powers of two, so that conversion is exact. The unit of length is
/// about the geometric mean of the radii of the smallest leaf and of the root, so that high powers
/// of lengths stay in the range of a number. A small softening length can lower it, see
/// build_geometry(). The unit of mass is about the total mass.
struct Units {
  double length = 1.0;  ///< [length]
  double mass = 1.0;    ///< [mass]
};

/// The data of a cell or body that the acceptance criterion reads, in one piece of memory.
template <class Number>
struct alignas(8 * sizeof(typename Number::Real)) Node {
  typename Number::Stored centre[3];  ///< centre of mass
  typename Number::Real radius;
  typename Number::Real mass;
  typename Number::Real min_acceleration;  ///< smallest acceleration of its bodies, over G
  typename Number::Real child_count;       ///< number of children: 0 for a leaf or body
  static constexpr int numbers = 7;        ///< scalars before the padding
};

/// Rows of expansions. Every row begins at a multiple of the width of a vector load.
template <class Real>
using Expansions = Kokkos::View<Real**, Kokkos::LayoutRight, MemorySpace>;

/// Columns of a row of Expansions: the terms and the padding.
template <class Real>
constexpr std::size_t column_count(int order) {
  constexpr int block = simd::row_block<Real>;
  return static_cast<std::size_t>((term_count(order) + block - 1) / block * block);
}

/// All bodies in the order of the leaves, and all cells, in internal units.
template <class Number>
struct Cells {
  using Stored = typename Number::Stored;
  using Real = typename Number::Real;

  CellTree tree;
  Units units;
  // Rows of the sorted bodies.
  VectorColumns<Stored> position;
  Column<Stored> mass;
  /// Magnitude of the acceleration of each body, over G; empty: the criterion is geometric.
  Kokkos::View<Real*, MemorySpace> body_acceleration;
  // Rows of the cells; row 0 belongs to no cell.
  Kokkos::View<Stored* [4], Kokkos::LayoutRight, MemorySpace> sphere;  ///< centre of mass, radius
  Kokkos::View<double*, MemorySpace> cell_mass;  ///< [mass], unlike the others
  Kokkos::View<Node<Number>*, MemorySpace> nodes;
  Expansions<Real> moments;  ///< row 0 is zero: the moments of a body or of an unused lane

  /// Returns the vector from a to b.
  KOKKOS_FORCEINLINE_FUNCTION static Displacement<Real> displacement(Stored const* a,
                                                                     Stored const* b) {
    return {static_cast<Real>(b[0] - a[0]), static_cast<Real>(b[1] - a[1]),
            static_cast<Real>(b[2] - a[2])};
  }
  /// Fills the node of a cell. Precondition: its sphere is computed.
  KOKKOS_FORCEINLINE_FUNCTION void set_node(CellId cell, Real node_mass,
                                            Real min_acceleration) const {
    auto& node = nodes(cell);
    for (int axis = 0; axis < 3; ++axis) node.centre[axis] = sphere(cell, axis);
    node.radius = static_cast<Real>(sphere(cell, 3));
    node.mass = node_mass;
    node.min_acceleration = min_acceleration;
    node.child_count = Real(tree.is_leaf(cell) ? 0 : tree.exists(2 * cell + 1) ? 2 : 1);
  }
  KOKKOS_FORCEINLINE_FUNCTION Stored const* centre(CellId cell) const { return &sphere(cell, 0); }
};

}  // namespace apsis::forces::fmm
