// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forces/fmm/cells.hpp"
#include "forces/fmm/tuning.hpp"
#include "lanes/lane_group.hpp"
#include "packed_bodies.hpp"

/// Centres and radii of cells.
namespace apsis::forces::fmm {

/// Bounding box of each cell: the three lowest coordinates, then the three highest.
template <class Stored>
using Boxes = Kokkos::View<Stored* [6], Kokkos::LayoutRight, MemorySpace>;

/// Returns the squared distance from a centre to a point with the coordinates `point(axis)`.
template <class Point, class Stored>
KOKKOS_FORCEINLINE_FUNCTION double distance_squared(Point const& point, Stored const* centre) {
  double square = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    double const d = static_cast<double>(point(axis)) - static_cast<double>(centre[axis]);
    square += d * d;
  }
  return square;
}

/// Computes the centre of mass, mass, bounding box and radius of a leaf. Without mass the centre is
/// that of the box.
template <class Number>
struct LeafGeometry {
  using Stored = typename Number::Stored;
  using Group = LaneGroup<leaf_lanes<typename Number::Real>>;
  struct Scratch {};
  PackedBodies<Stored> bodies;
  Cells<Number> cells;
  Boxes<Stored> boxes;

  KOKKOS_FUNCTION void operator()(Group const& group, Scratch&, std::size_t j) const {
    CellId const cell = cells.tree.first_leaf() + static_cast<CellId>(j);
    std::size_t const begin = cells.tree.begin(cell), end = cells.tree.end(cell);
    double mass = 0.0, moment[3] = {};
    Stored box[6];
    for (int axis = 0; axis < 3; ++axis) box[axis] = box[3 + axis] = bodies(begin).position[axis];
    group.each_between(begin, end, [&](std::size_t i) {
      auto const body = bodies(i);
      auto const m = static_cast<double>(body.mass);
      mass += m;
      for (int axis = 0; axis < 3; ++axis) {
        Stored const x = body.position[axis];
        moment[axis] += m * static_cast<double>(x);
        if (x < box[axis]) box[axis] = x;
        if (x > box[3 + axis]) box[3 + axis] = x;
      }
    });
    auto const plus = [](double a, double b) { return a + b; };
    auto const smaller = [](Stored a, Stored b) { return b < a ? b : a; };
    auto const larger = [](auto a, auto b) { return b > a ? b : a; };
    mass = group.joined(mass, plus);
    Stored centre[3];
    for (int axis = 0; axis < 3; ++axis) {
      moment[axis] = group.joined(moment[axis], plus);
      box[axis] = group.joined(box[axis], smaller);
      box[3 + axis] = group.joined(box[3 + axis], larger);
      double const middle =
          0.5 * (static_cast<double>(box[axis]) + static_cast<double>(box[3 + axis]));
      // The centre of coincident bodies is exactly their position: a rounding error would become a
      // nonzero radius.
      bool const uses_mass = mass > 0.0 && box[axis] < box[3 + axis];
      centre[axis] = static_cast<Stored>(uses_mass ? moment[axis] / mass : middle);
    }
    double radius_squared = 0.0;
    group.each_between(begin, end, [&](std::size_t i) {
      auto const body = bodies(i);
      double const square = distance_squared([&](int axis) { return body.position[axis]; }, centre);
      if (square > radius_squared) radius_squared = square;
    });
    radius_squared = group.joined(radius_squared, larger);
    if (!group.leads()) return;
    cells.cell_mass(cell) = mass;
    for (int axis = 0; axis < 3; ++axis) cells.sphere(cell, axis) = centre[axis];
    cells.sphere(cell, 3) = static_cast<Stored>(Kokkos::sqrt(radius_squared));
    for (int k = 0; k < 6; ++k) boxes(cell, k) = box[k];
  }
};

/// Computes the same quantities of a cell from those of its children. The radius is an upper bound,
/// the smaller of the distances to the farthest point of the spheres of the children and to the
/// farthest corner of the box.
template <class Number>
struct ParentGeometry {
  using Stored = typename Number::Stored;
  Cells<Number> cells;
  Boxes<Stored> boxes;

  KOKKOS_FUNCTION void operator()(CellId cell) const {
    CellId const left = 2 * cell, right = left + 1;
    int const child_count = cells.tree.exists(right) ? 2 : 1;
    double mass = 0.0, moment[3] = {};
    for (int k = 0; k < 6; ++k) boxes(cell, k) = boxes(left, k);
    for (int child = 0; child < child_count; ++child) {
      double const m = cells.cell_mass(left + child);
      mass += m;
      for (int axis = 0; axis < 3; ++axis) {
        moment[axis] += m * static_cast<double>(cells.sphere(left + child, axis));
        if (boxes(left + child, axis) < boxes(cell, axis)) {
          boxes(cell, axis) = boxes(left + child, axis);
        }
        if (boxes(left + child, 3 + axis) > boxes(cell, 3 + axis)) {
          boxes(cell, 3 + axis) = boxes(left + child, 3 + axis);
        }
      }
    }
    cells.cell_mass(cell) = mass;
    double corner_squared = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
      auto const low = static_cast<double>(boxes(cell, axis));
      auto const high = static_cast<double>(boxes(cell, 3 + axis));
      cells.sphere(cell, axis) =
          static_cast<Stored>(mass > 0.0 ? moment[axis] / mass : 0.5 * (low + high));
      auto const centre = static_cast<double>(cells.sphere(cell, axis));
      double const distance = centre - low > high - centre ? centre - low : high - centre;
      corner_squared += distance * distance;
    }
    double const box_radius = Kokkos::sqrt(corner_squared);
    double sphere_radius = 0.0;
    for (int child = 0; child < child_count; ++child) {
      double const square = distance_squared(
          [&](int axis) { return cells.sphere(left + child, axis); }, cells.centre(cell));
      double const reach =
          Kokkos::sqrt(square) + static_cast<double>(cells.sphere(left + child, 3));
      if (reach > sphere_radius) sphere_radius = reach;
    }
    cells.sphere(cell, 3) =
        static_cast<Stored>(sphere_radius < box_radius ? sphere_radius : box_radius);
  }
};

}  // namespace apsis::forces::fmm
