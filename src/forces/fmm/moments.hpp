// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cells.hpp"
#include "lots.hpp"
#include <apsis/core/lane_group.hpp>

/// What cells are to those that are far from them.
namespace apsis::forces::fmm {

/// Moments about the centre, and the least pull.
template <class Number, int order>
struct LeafMoments {
  using Stored = typename Number::Stored;
  using Real = typename Number::Real;
  using Group = LaneGroup<leaf_lanes<Real>>;
  using Lanes = typename simd::Pack<Real, Group::packed>::type;
  struct Room {};
  Cells<Number> cells;

  KOKKOS_FUNCTION void operator()(Group const& group, Room&, std::size_t j) const {
    CellId const cell = cells.division.first_leaf() + static_cast<CellId>(j);
    std::size_t const begin = cells.division.begin(cell), end = cells.division.end(cell);
    Stored const centre[3] = {cells.place(cell, 0), cells.place(cell, 1), cells.place(cell, 2)};
    Expansion<Lanes, order> of_lanes{};
    auto pull = Kokkos::Experimental::infinity_v<Real>;
    for (std::size_t first = begin; first < end; first += Group::width) {
      Real numbers[4][Group::packed] = {};
      for (int k = 0; k < Group::packed; ++k) {
        std::size_t const i = first + static_cast<std::size_t>(group.lane(k));
        if (i >= end) break;
        Stored const at[3] = {cells.position(i, 0), cells.position(i, 1), cells.position(i, 2)};
        auto const way = cells.way(centre, at);
        numbers[0][k] = way.x;
        numbers[1][k] = way.y;
        numbers[2][k] = way.z;
        numbers[3][k] = static_cast<Real>(cells.mass(i));
        if (cells.body_pull.extent(0) != 0 && cells.body_pull(i) < pull) pull = cells.body_pull(i);
      }
      Lanes of[4]{};
      for (int k = 0; k < 4; ++k) simd::fill(of[k], numbers[k]);
      add_body<Real>(of_lanes, Way<Lanes>{of[0], of[1], of[2]}, of[3]);
    }
    Real mass{};
    group.template sums<Real>(of_lanes.term, [&](int k, Real sum) {
      cells.moments(cell, k) = sum;
      if (k == 0) mass = sum;
    });
    pull = group.joined(pull, [](Real a, Real b) { return b < a ? b : a; });
    // Who leads has the first sum.
    if (group.leads()) cells.set_node(cell, mass, pull);
  }
};

/// The same of a cell of two halves.
template <class Number, int order>
struct ParentMoments {
  using Real = typename Number::Real;
  Cells<Number> cells;

  KOKKOS_FUNCTION void operator()(CellId cell) const {
    CellId const left = 2 * cell;
    Expansion<Real, order> moments{};
    Real pull = cells.nodes(left).pull;
    for (CellId half = left; half < left + 2 && cells.division.exists(half); ++half) {
      Expansion<Real, order> of;
      simd::load_row<of.terms>(&cells.moments(half, 0), of.term);
      add_moments<Real>(moments, cells.way(cells.centre(cell), cells.centre(half)), of);
      if (cells.nodes(half).pull < pull) pull = cells.nodes(half).pull;
    }
    simd::store_row<moments.terms>(moments.term, &cells.moments(cell, 0));
    cells.set_node(cell, moments[0], pull);
  }
};

}  // namespace apsis::forces::fmm
