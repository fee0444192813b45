// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cells.hpp"
#include "lots.hpp"
#include "packed_bodies.hpp"
#include <apsis/core/lane_group.hpp>

/// Where cells are, and how large.
namespace apsis::forces::fmm {

template <class Stored>
using Boxes = Kokkos::View<Stored* [6], Kokkos::LayoutRight, MemorySpace>;

/// From a centre to a place that is given axis by axis.
template <class Place, class Stored>
KOKKOS_FORCEINLINE_FUNCTION double distance_squared(Place const& place, Stored const* centre) {
  double square = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    double const d = static_cast<double>(place(axis)) - static_cast<double>(centre[axis]);
    square += d * d;
  }
  return square;
}

/// Centre of mass, mass, box and radius of a leaf. Where nothing has mass the centre is the middle
/// of the box.
template <class Number>
struct LeafPlaces {
  using Stored = typename Number::Stored;
  using Group = LaneGroup<leaf_lanes<typename Number::Real>>;
  struct Room {};
  PackedBodies<Stored> bodies;
  Cells<Number> cells;
  Boxes<Stored> boxes;

  KOKKOS_FUNCTION void operator()(Group const& group, Room&, std::size_t j) const {
    CellId const cell = cells.division.first_leaf() + static_cast<CellId>(j);
    std::size_t const begin = cells.division.begin(cell), end = cells.division.end(cell);
    double mass = 0.0, moment[3] = {};
    Stored box[6];
    for (int axis = 0; axis < 3; ++axis) box[axis] = box[3 + axis] = bodies(begin).at[axis];
    group.each_between(begin, end, [&](std::size_t i) {
      auto const body = bodies(i);
      auto const m = static_cast<double>(body.mass);
      mass += m;
      for (int axis = 0; axis < 3; ++axis) {
        Stored const x = body.at[axis];
        moment[axis] += m * static_cast<double>(x);
        if (x < box[axis]) box[axis] = x;
        if (x > box[3 + axis]) box[3 + axis] = x;
      }
    });
    auto const plus = [](double a, double b) { return a + b; };
    auto const least = [](Stored a, Stored b) { return b < a ? b : a; };
    auto const most = [](auto a, auto b) { return b > a ? b : a; };
    mass = group.joined(mass, plus);
    Stored centre[3];
    for (int axis = 0; axis < 3; ++axis) {
      moment[axis] = group.joined(moment[axis], plus);
      box[axis] = group.joined(box[axis], least);
      box[3 + axis] = group.joined(box[3 + axis], most);
      double const middle =
          0.5 * (static_cast<double>(box[axis]) + static_cast<double>(box[3 + axis]));
      // Of one place exactly that: its rounding would be taken for a size.
      bool const weighed = mass > 0.0 && box[axis] < box[3 + axis];
      centre[axis] = static_cast<Stored>(weighed ? moment[axis] / mass : middle);
    }
    double farthest = 0.0;
    group.each_between(begin, end, [&](std::size_t i) {
      auto const body = bodies(i);
      double const square = distance_squared([&](int axis) { return body.at[axis]; }, centre);
      if (square > farthest) farthest = square;
    });
    farthest = group.joined(farthest, most);
    if (!group.leads()) return;
    cells.cell_mass(cell) = mass;
    for (int axis = 0; axis < 3; ++axis) cells.place(cell, axis) = centre[axis];
    cells.place(cell, 3) = static_cast<Stored>(Kokkos::sqrt(farthest));
    for (int k = 0; k < 6; ++k) boxes(cell, k) = box[k];
  }
};

/// The same of a cell of two halves. Its radius is the smaller of two bounds: of its halves'
/// spheres and of the corners of its box.
template <class Number>
struct ParentPlaces {
  using Stored = typename Number::Stored;
  Cells<Number> cells;
  Boxes<Stored> boxes;

  KOKKOS_FUNCTION void operator()(CellId cell) const {
    CellId const left = 2 * cell, right = left + 1;
    int const halves = cells.division.exists(right) ? 2 : 1;
    double mass = 0.0, moment[3] = {};
    for (int k = 0; k < 6; ++k) boxes(cell, k) = boxes(left, k);
    for (int half = 0; half < halves; ++half) {
      double const m = cells.cell_mass(left + half);
      mass += m;
      for (int axis = 0; axis < 3; ++axis) {
        moment[axis] += m * static_cast<double>(cells.place(left + half, axis));
        if (boxes(left + half, axis) < boxes(cell, axis)) {
          boxes(cell, axis) = boxes(left + half, axis);
        }
        if (boxes(left + half, 3 + axis) > boxes(cell, 3 + axis)) {
          boxes(cell, 3 + axis) = boxes(left + half, 3 + axis);
        }
      }
    }
    cells.cell_mass(cell) = mass;
    double corner = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
      auto const low = static_cast<double>(boxes(cell, axis));
      auto const high = static_cast<double>(boxes(cell, 3 + axis));
      cells.place(cell, axis) =
          static_cast<Stored>(mass > 0.0 ? moment[axis] / mass : 0.5 * (low + high));
      auto const centre = static_cast<double>(cells.place(cell, axis));
      double const far = centre - low > high - centre ? centre - low : high - centre;
      corner += far * far;
    }
    double radius = Kokkos::sqrt(corner), reached = 0.0;
    for (int half = 0; half < halves; ++half) {
      double const square = distance_squared(
          [&](int axis) { return cells.place(left + half, axis); }, cells.centre(cell));
      double const reach = Kokkos::sqrt(square) + static_cast<double>(cells.place(left + half, 3));
      if (reach > reached) reached = reach;
    }
    cells.place(cell, 3) = static_cast<Stored>(reached < radius ? reached : radius);
  }
};

}  // namespace apsis::forces::fmm
