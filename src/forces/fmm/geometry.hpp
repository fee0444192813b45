// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cells.hpp"
#include "forces/fmm/tree/sorted_bodies.hpp"
#include "forces/softening.hpp"
#include "lanes/lane_group.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/forces/request.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

/// Centres, radii and masses of all cells, computed from the sorted bodies in an upward pass.
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

/// Workspace of the construction of cells.
template <class Stored>
struct BuildWorkspace {
  Boxes<Stored> boxes;
  Arrivals arrivals;
};

/// Writes the bodies to columns in cells.units, and converts the spheres of the cells. cell_mass is
/// not converted, since it is not used afterwards.
template <class Number>
void convert_to_units(ExecutionSpace const& space,
                      PackedBodies<typename Number::Stored> const& bodies,
                      Cells<Number> const& cells) {
  using Stored = typename Number::Stored;
  double const per_length = 1.0 / cells.units.length, per_mass = 1.0 / cells.units.mass;
  for_each(
      space, "apsis::forces::fmm::build::bodies_to_units", cells.tree.bodies,
      KOKKOS_LAMBDA(std::size_t i) {
        auto const body = bodies(i);
        for (int axis = 0; axis < 3; ++axis) {
          cells.position(i, axis) =
              static_cast<Stored>(static_cast<double>(body.position[axis]) * per_length);
        }
        cells.mass(i) = static_cast<Stored>(static_cast<double>(body.mass) * per_mass);
      });
  for_each(
      space, "apsis::forces::fmm::build::cells_to_units", cells.sphere.extent(0),
      KOKKOS_LAMBDA(std::size_t cell) {
        if (cell == 0 || !cells.tree.exists(static_cast<CellId>(cell))) return;
        for (int k = 0; k < 4; ++k) {
          cells.sphere(cell, k) =
              static_cast<Stored>(static_cast<double>(cells.sphere(cell, k)) * per_length);
        }
      });
}

/// Returns the smallest nonzero radius of a leaf; the largest double if all radii are 0.
template <class Stored>
double min_leaf_radius(ExecutionSpace const& space,
                       Kokkos::View<Stored* [4], Kokkos::LayoutRight, MemorySpace> const& sphere,
                       CellTree const& tree) {
  CellId const first = tree.first_leaf();
  double min_radius = 0.0;
  Kokkos::parallel_reduce(
      "apsis::forces::fmm::build::min_leaf_radius", index_range<CellId>(space, 0, tree.leaves),
      KOKKOS_LAMBDA(CellId j, double& minimum) {
        auto const radius = static_cast<double>(sphere(first + j, 3));
        if (radius > 0.0 && radius < minimum) minimum = radius;
      },
      Kokkos::Min<double>(min_radius));
  return min_radius;
}

inline double nearest_power_of_two(double x) {
  return x > 0.0 && std::isfinite(x) ? std::exp2(std::round(std::log2(x))) : 1.0;
}

/// Computes the centres, radii and masses of all cells, and chooses the units. In the unit of
/// length the third power of a nonzero softening length is representable. O(N); fences.
template <class Number>
void build_geometry(ExecutionSpace const& space,
                    PackedBodies<typename Number::Stored> const& sorted_bodies, double softening,
                    CellTree const& tree, int order, Cells<Number>& cells,
                    BuildWorkspace<typename Number::Stored>& workspace) {
  using Stored = typename Number::Stored;
  using Real = typename Number::Real;
  std::size_t const bodies = tree.bodies;
  cells.tree = tree;
  fit(space, cells.position, "apsis::forces::fmm::position", bodies);
  fit(space, cells.mass, "apsis::forces::fmm::mass", bodies);
  fit(space, cells.sphere, "apsis::forces::fmm::sphere", tree.rows());
  fit(space, cells.cell_mass, "apsis::forces::fmm::cell_mass", tree.rows());
  fit(space, cells.nodes, "apsis::forces::fmm::nodes", tree.rows());
  fit(space, cells.moments, "apsis::forces::fmm::moments", tree.rows(),
      column_count<typename Number::Real>(order));
  fit(space, workspace.boxes, "apsis::forces::fmm::boxes", tree.rows());
  fit(space, workspace.arrivals, "apsis::forces::fmm::arrivals", tree.rows());
  Kokkos::deep_copy(space, workspace.arrivals, 0u);
  for_groups(space, "apsis::forces::fmm::build::leaf_spheres", tree.leaves,
             LeafGeometry<Number>{sorted_bodies, cells, workspace.boxes});
  upward_pass(space, "apsis::forces::fmm::build::spheres", tree, workspace.arrivals,
              ParentGeometry<Number>{cells, workspace.boxes});
  double total_mass = 0.0;
  Stored root[4];
  Kokkos::deep_copy(space, Kokkos::View<double, Kokkos::HostSpace>(&total_mass),
                    Kokkos::subview(cells.cell_mass, 1));
  Kokkos::deep_copy(space, Kokkos::View<Stored[4], Kokkos::HostSpace>(root),
                    Kokkos::subview(cells.sphere, 1, Kokkos::ALL));
  double const min_radius = min_leaf_radius<Stored>(space, cells.sphere, tree);
  space.fence("apsis::forces::fmm::build: the host chooses units");
  double const root_radius = static_cast<double>(root[3]);
  cells.units.mass = nearest_power_of_two(total_mass);
  // With this bound powers of the largest distance are finite; AcceptanceCriterion::min_distance is
  // the bound on the smallest distance.
  double const min_length = root_radius * (sizeof(Real) == 4 ? 1e-12 : 1e-90);
  double const geometric_mean =
      std::sqrt(root_radius) * std::sqrt(std::clamp(min_radius, min_length, root_radius));
  double const softening_limit = softening > 0.0 ? 0.5 * softening / smallest_softening<Real>
                                                 : std::numeric_limits<double>::infinity();
  cells.units.length = nearest_power_of_two(std::min(geometric_mean, softening_limit));
  convert_to_units(space, sorted_bodies, cells);
}

}  // namespace apsis::forces::fmm
