// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cells.hpp"
#include "lanes/lane_group.hpp"
#include "operators.hpp"
#include <apsis/core/backend.hpp>

/// Multipole moments of cells: P2M for leaves, M2M for all other cells.
namespace apsis::forces::fmm {

/// P2M: multipole moments of a leaf about its centre, and the smallest acceleration of its bodies.
template <class Number, class Operators>
struct LeafMoments {
  using Stored = typename Number::Stored;
  using Real = typename Number::Real;
  using Group = LaneGroup<leaf_lanes<Real>>;
  using Lanes = typename simd::Pack<Real, Group::packed>::type;
  struct Scratch {};
  Operators operators;
  Cells<Number> cells;

  KOKKOS_FUNCTION void operator()(Group const& group, Scratch&, std::size_t j) const {
    CellId const cell = cells.tree.first_leaf() + static_cast<CellId>(j);
    std::size_t const begin = cells.tree.begin(cell), end = cells.tree.end(cell);
    Stored const centre[3] = {cells.sphere(cell, 0), cells.sphere(cell, 1), cells.sphere(cell, 2)};
    typename Operators::template Sums<Lanes> lane_moments;
    operators.clear(lane_moments);
    auto min_acceleration = Kokkos::Experimental::infinity_v<Real>;
    for (std::size_t first = begin; first < end; first += Group::width) {
      Real x[4][Group::packed] = {};  // displacement from the centre, mass
      for (int k = 0; k < Group::packed; ++k) {
        std::size_t const i = first + static_cast<std::size_t>(group.lane(k));
        if (i >= end) break;
        Stored const position[3] = {cells.position(i, 0), cells.position(i, 1),
                                    cells.position(i, 2)};
        auto const d = cells.displacement(centre, position);
        x[0][k] = d.x;
        x[1][k] = d.y;
        x[2][k] = d.z;
        x[3][k] = static_cast<Real>(cells.mass(i));
        if (cells.body_acceleration.extent(0) != 0 && cells.body_acceleration(i) < min_acceleration)
          min_acceleration = cells.body_acceleration(i);
      }
      Lanes packs[4]{};
      for (int k = 0; k < 4; ++k) simd::fill(packs[k], x[k]);
      operators.p2m(lane_moments, Displacement<Lanes>{packs[0], packs[1], packs[2]}, packs[3]);
    }
    operators.store(group, lane_moments, &cells.moments(cell, 0));
    min_acceleration = group.joined(min_acceleration, [](Real a, Real b) { return b < a ? b : a; });
    // On a GPU the leader thread has stored moment 0, the mass.
    if (group.leads()) cells.set_node(cell, cells.moments(cell, 0), min_acceleration);
  }
};

/// M2M: multipole moments of a cell from those of its children, and its smallest acceleration.
template <class Number, class Operators>
struct ParentMoments {
  using Real = typename Number::Real;
  Operators operators;
  Cells<Number> cells;

  KOKKOS_FUNCTION void operator()(CellId cell) const {
    CellId const left = 2 * cell, right = left + 1;
    bool const has_two = cells.tree.exists(right);
    Displacement<Real> d[2]{cells.displacement(cells.centre(cell), cells.centre(left))};
    Real const* rows[2]{&cells.moments(left, 0)};
    Real min_acceleration = cells.nodes(left).min_acceleration;
    if (has_two) {
      d[1] = cells.displacement(cells.centre(cell), cells.centre(right));
      rows[1] = &cells.moments(right, 0);
      if (cells.nodes(right).min_acceleration < min_acceleration)
        min_acceleration = cells.nodes(right).min_acceleration;
    }
    Real const mass = operators.m2m(&cells.moments(cell, 0), rows, d, has_two ? 2 : 1);
    cells.set_node(cell, mass, min_acceleration);
  }
};

/// P2M and M2M: multipole moments of all cells in cells.units. Precondition:
/// cells.body_acceleration is filled, or empty.
template <class Number, class Operators>
void build_moments(ExecutionSpace const& space, Operators const& operators,
                   Cells<Number> const& cells, Arrivals const& arrivals) {
  auto const& tree = cells.tree;
  using Real = typename Number::Real;
  Kokkos::deep_copy(space, Kokkos::subview(cells.moments, 0, Kokkos::ALL), Real(0));
  for_groups(space, "apsis::forces::fmm::build::leaf_moments", tree.leaves,
             LeafMoments<Number, Operators>{operators, cells});
  upward_pass(space, "apsis::forces::fmm::build::moments", tree, arrivals,
              ParentMoments<Number, Operators>{operators, cells});
}

}  // namespace apsis::forces::fmm
