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
      add_body<Real>(lane_moments, Displacement<Lanes>{packs[0], packs[1], packs[2]}, packs[3]);
    }
    Real mass{};
    group.template sums<Real>(lane_moments.term, [&](int k, Real sum) {
      cells.moments(cell, k) = sum;
      if (k == 0) mass = sum;
    });
    min_acceleration = group.joined(min_acceleration, [](Real a, Real b) { return b < a ? b : a; });
    // On a GPU only the leader thread gets moment 0, the mass.
    if (group.leads()) cells.set_node(cell, mass, min_acceleration);
  }
};

/// M2M: multipole moments of a cell from those of its children, and its smallest acceleration.
template <class Number, int order>
struct ParentMoments {
  using Real = typename Number::Real;
  Cells<Number> cells;

  KOKKOS_FUNCTION void operator()(CellId cell) const {
    CellId const left = 2 * cell;
    Expansion<Real, order> moments{};
    Real min_acceleration = cells.nodes(left).min_acceleration;
    for (CellId child = left; child < left + 2 && cells.tree.exists(child); ++child) {
      Expansion<Real, order> child_moments;
      simd::load_row<child_moments.terms>(&cells.moments(child, 0), child_moments.term);
      add_moments<Real>(moments, cells.displacement(cells.centre(cell), cells.centre(child)),
                        child_moments);
      if (cells.nodes(child).min_acceleration < min_acceleration)
        min_acceleration = cells.nodes(child).min_acceleration;
    }
    simd::store_row<moments.terms>(moments.term, &cells.moments(cell, 0));
    cells.set_node(cell, moments[0], min_acceleration);
  }
};

}  // namespace apsis::forces::fmm
