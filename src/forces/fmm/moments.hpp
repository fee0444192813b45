// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cells.hpp"
#include "lanes/lane_group.hpp"
#include "tuning.hpp"

/// Multipole moments of cells: P2M for leaves, M2M for all other cells.
namespace apsis::forces::fmm {

/// P2M: multipole moments of a leaf about its centre, and the smallest acceleration of its bodies.
template <class Number, int order>
struct LeafMoments {
  using Stored = typename Number::Stored;
  using Real = typename Number::Real;
  using Group = LaneGroup<leaf_lanes<Real>>;
  using Lanes = typename simd::Pack<Real, Group::packed>::type;
  struct Scratch {};
  Cells<Number> cells;

  KOKKOS_FUNCTION void operator()(Group const& group, Scratch&, std::size_t j) const {
    CellId const cell = cells.tree.first_leaf() + static_cast<CellId>(j);
    std::size_t const begin = cells.tree.begin(cell), end = cells.tree.end(cell);
    Stored const centre[3] = {cells.sphere(cell, 0), cells.sphere(cell, 1), cells.sphere(cell, 2)};
    Expansion<Lanes, order> lane_moments{};
    auto least_acceleration = Kokkos::Experimental::infinity_v<Real>;
    for (std::size_t first = begin; first < end; first += Group::width) {
      Real numbers[4][Group::packed] = {};
      for (int k = 0; k < Group::packed; ++k) {
        std::size_t const i = first + static_cast<std::size_t>(group.lane(k));
        if (i >= end) break;
        Stored const position[3] = {cells.position(i, 0), cells.position(i, 1),
                                    cells.position(i, 2)};
        auto const d = cells.displacement(centre, position);
        numbers[0][k] = d.x;
        numbers[1][k] = d.y;
        numbers[2][k] = d.z;
        numbers[3][k] = static_cast<Real>(cells.mass(i));
        if (cells.body_acceleration.extent(0) != 0 &&
            cells.body_acceleration(i) < least_acceleration)
          least_acceleration = cells.body_acceleration(i);
      }
      Lanes columns[4]{};
      for (int k = 0; k < 4; ++k) simd::fill(columns[k], numbers[k]);
      add_body<Real>(lane_moments, Displacement<Lanes>{columns[0], columns[1], columns[2]},
                     columns[3]);
    }
    Real mass{};
    group.template sums<Real>(lane_moments.term, [&](int k, Real sum) {
      cells.moments(cell, k) = sum;
      if (k == 0) mass = sum;
    });
    least_acceleration =
        group.joined(least_acceleration, [](Real a, Real b) { return b < a ? b : a; });
    // Only the leading thread has the mass.
    if (group.leads()) cells.set_node(cell, mass, least_acceleration);
  }
};

/// M2M: multipole moments of a cell from those of its children, and their smallest acceleration.
template <class Number, int order>
struct ParentMoments {
  using Real = typename Number::Real;
  Cells<Number> cells;

  KOKKOS_FUNCTION void operator()(CellId cell) const {
    CellId const left = 2 * cell;
    Expansion<Real, order> moments{};
    Real least_acceleration = cells.nodes(left).min_acceleration;
    for (CellId child = left; child < left + 2 && cells.tree.exists(child); ++child) {
      Expansion<Real, order> child_moments;
      simd::load_row<child_moments.terms>(&cells.moments(child, 0), child_moments.term);
      add_moments<Real>(moments, cells.displacement(cells.centre(cell), cells.centre(child)),
                        child_moments);
      if (cells.nodes(child).min_acceleration < least_acceleration)
        least_acceleration = cells.nodes(child).min_acceleration;
    }
    simd::store_row<moments.terms>(moments.term, &cells.moments(cell, 0));
    cells.set_node(cell, moments[0], least_acceleration);
  }
};

}  // namespace apsis::forces::fmm
