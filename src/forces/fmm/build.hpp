// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cells.hpp"
#include "curve_order.hpp"
#include <apsis/forces/pair.hpp>
#include <apsis/forces/request.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

/// How cells are made: bodies along the curve, then from the leaves to the whole.
namespace apsis::forces::fmm {

template <class Stored>
using Boxes = Kokkos::View<Stored* [6], Kokkos::LayoutRight, MemorySpace>;

/// Centre of mass, mass, box and radius of a leaf. Where nothing has mass the centre is the middle
/// of the box.
template <class Number>
struct LeafPlaces {
  using Stored = typename Number::Stored;
  Cells<Number> cells;
  Boxes<Stored> boxes;

  KOKKOS_FUNCTION void operator()(CellId j) const {
    CellId const cell = cells.division.first_leaf() + j;
    std::size_t const begin = cells.division.begin(cell), end = cells.division.end(cell);
    double mass = 0.0, moment[3] = {};
    Stored box[6];
    for (int axis = 0; axis < 3; ++axis) box[axis] = box[3 + axis] = cells.position(begin, axis);
    for (std::size_t i = begin; i < end; ++i) {
      auto const m = static_cast<double>(cells.mass(i));
      mass += m;
      for (int axis = 0; axis < 3; ++axis) {
        Stored const x = cells.position(i, axis);
        moment[axis] += m * static_cast<double>(x);
        if (x < box[axis]) box[axis] = x;
        if (x > box[3 + axis]) box[3 + axis] = x;
      }
    }
    cells.cell_mass(cell) = mass;
    for (int axis = 0; axis < 3; ++axis) {
      double const middle =
          0.5 * (static_cast<double>(box[axis]) + static_cast<double>(box[3 + axis]));
      // Of one place exactly that: its rounding would be taken for a size.
      bool const weighed = mass > 0.0 && box[axis] < box[3 + axis];
      cells.place(cell, axis) = static_cast<Stored>(weighed ? moment[axis] / mass : middle);
    }
    double farthest = 0.0;
    for (std::size_t i = begin; i < end; ++i) {
      double square = 0.0;
      for (int axis = 0; axis < 3; ++axis) {
        double const d = static_cast<double>(cells.position(i, axis)) -
                         static_cast<double>(cells.place(cell, axis));
        square += d * d;
      }
      if (square > farthest) farthest = square;
    }
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
  CellId first;

  KOKKOS_FUNCTION void operator()(CellId j) const {
    CellId const cell = first + j, left = 2 * cell, right = left + 1;
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
      double square = 0.0;
      for (int axis = 0; axis < 3; ++axis) {
        double const d = static_cast<double>(cells.place(left + half, axis)) -
                         static_cast<double>(cells.place(cell, axis));
        square += d * d;
      }
      double const reach = Kokkos::sqrt(square) + static_cast<double>(cells.place(left + half, 3));
      if (reach > reached) reached = reach;
    }
    cells.place(cell, 3) = static_cast<Stored>(reached < radius ? reached : radius);
  }
};

/// Moments about the centre, and the least pull.
template <class Number, int order>
struct LeafMoments {
  using Real = typename Number::Real;
  Cells<Number> cells;

  KOKKOS_FUNCTION void operator()(CellId j) const {
    CellId const cell = cells.division.first_leaf() + j;
    std::size_t const begin = cells.division.begin(cell), end = cells.division.end(cell);
    // As many bodies at once as a register holds.
    constexpr int lanes = simd::native_lanes<Real>;
    Expansion<typename simd::Pack<Real, lanes>::type, order> of_lanes{};
    auto pull = Kokkos::Experimental::infinity_v<Real>;
    for (std::size_t first = begin; first < end; first += lanes) {
      typename simd::Pack<Real, lanes>::type of[4]{};
      Real numbers[4][lanes] = {};
      for (int k = 0; k < lanes && first + static_cast<std::size_t>(k) < end; ++k) {
        std::size_t const i = first + static_cast<std::size_t>(k);
        typename Number::Stored const at[3] = {cells.position(i, 0), cells.position(i, 1),
                                               cells.position(i, 2)};
        auto const way = cells.way(cells.centre(cell), at);
        numbers[0][k] = way.x;
        numbers[1][k] = way.y;
        numbers[2][k] = way.z;
        numbers[3][k] = static_cast<Real>(cells.mass(i));
        if (cells.body_pull.extent(0) != 0 && cells.body_pull(i) < pull) pull = cells.body_pull(i);
      }
      for (int k = 0; k < 4; ++k) simd::fill(of[k], numbers[k]);
      add_body<Real>(of_lanes, Way{of[0], of[1], of[2]}, of[3]);
    }
    Expansion<Real, order> moments;
    simd::sum_lanes<Real, moments.terms>(of_lanes.term, [&](int k, Real sum) { moments[k] = sum; });
    for (int k = 0; k < moments.terms; ++k) cells.moments(cell, k) = moments[k];
    cells.set_node(cell, moments[0], pull);
  }
};

template <class Number, int order>
struct ParentMoments {
  using Real = typename Number::Real;
  Cells<Number> cells;
  CellId first;

  KOKKOS_FUNCTION void operator()(CellId j) const {
    CellId const cell = first + j, left = 2 * cell;
    Expansion<Real, order> moments{};
    Real pull = cells.nodes(left).pull;
    for (CellId half = left; half < left + 2 && cells.division.exists(half); ++half) {
      Expansion<Real, order> of;
      for (int k = 0; k < of.terms; ++k) of[k] = cells.moments(half, k);
      add_moments<Real>(moments, cells.way(cells.centre(cell), cells.centre(half)), of);
      if (cells.nodes(half).pull < pull) pull = cells.nodes(half).pull;
    }
    for (int k = 0; k < moments.terms; ++k) cells.moments(cell, k) = moments[k];
    cells.set_node(cell, moments[0], pull);
  }
};

/// Runs a kernel for each of so many cells.
template <class Kernel>
void for_cells(ExecutionSpace const& space, char const* label, CellId count, Kernel const& kernel) {
  Kokkos::parallel_for(
      label, Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<CellId>>(space, 0, count),
      kernel);
}

template <class Number>
struct AlongTheCurve {
  using Stored = typename Number::Stored;
  Sources<Stored> sources;
  BodyOrder along;
  VectorColumns<Stored> position;
  Column<Stored> mass;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    std::size_t const body = along(i);
    for (int axis = 0; axis < 3; ++axis) position(i, axis) = sources.position(body, axis);
    mass(i) = sources.mass(body);
  }
};

template <class Number>
struct PullsAlongTheCurve {
  Column<typename Number::Stored> from;
  BodyOrder along;
  double unit;
  Kokkos::View<typename Number::Real*, MemorySpace> to;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    to(i) = static_cast<typename Number::Real>(static_cast<double>(from(along(i))) * unit);
  }
};

/// From what bodies come in to cells.units: the places and masses of bodies, and the places of
/// cells. The mass of a cell has done its work.
template <class Number>
void to_units(ExecutionSpace const& space, Cells<Number> const& cells) {
  using Stored = typename Number::Stored;
  double const per_length = 1.0 / cells.units.length, per_mass = 1.0 / cells.units.mass;
  Kokkos::parallel_for(
      "apsis::forces::fmm::build::bodies_to_units",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0,
                                                                          cells.division.bodies),
      KOKKOS_LAMBDA(std::size_t i) {
        for (int axis = 0; axis < 3; ++axis) {
          cells.position(i, axis) =
              static_cast<Stored>(static_cast<double>(cells.position(i, axis)) * per_length);
        }
        cells.mass(i) = static_cast<Stored>(static_cast<double>(cells.mass(i)) * per_mass);
      });
  Kokkos::parallel_for(
      "apsis::forces::fmm::build::cells_to_units",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0,
                                                                          cells.place.extent(0)),
      KOKKOS_LAMBDA(std::size_t cell) {
        if (cell == 0 || !cells.division.exists(static_cast<CellId>(cell))) return;
        for (int k = 0; k < 4; ++k) {
          cells.place(cell, k) =
              static_cast<Stored>(static_cast<double>(cells.place(cell, k)) * per_length);
        }
      });
}

/// The radius of the smallest leaf that has one.
template <class Stored>
double smallest_radius(ExecutionSpace const& space,
                       Kokkos::View<Stored* [4], Kokkos::LayoutRight, MemorySpace> const& place,
                       Division const& division) {
  CellId const first = division.first_leaf();
  double least = 0.0;
  Kokkos::parallel_reduce(
      "apsis::forces::fmm::build::smallest",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<CellId>>(space, 0, division.leaves),
      KOKKOS_LAMBDA(CellId j, double& sofar) {
        auto const radius = static_cast<double>(place(first + j, 3));
        if (radius > 0.0 && radius < sofar) sofar = radius;
      },
      Kokkos::Min<double>(least));
  return least;
}

inline double power_of_two_near(double x) {
  return x > 0.0 && std::isfinite(x) ? std::exp2(std::round(std::log2(x))) : 1.0;
}

/// Makes all cells of the bodies `sources`, whose order along the curve is `along`. Units are such
/// that a softening (or 0) is not too small for its third power. O(N); fences.
template <class Number, int order>
void build_places(ExecutionSpace const& space, Sources<typename Number::Stored> const& sources,
                  double softening, BodyOrder const& along, Division const& division,
                  Cells<Number>& cells, Boxes<typename Number::Stored>& boxes) {
  using Stored = typename Number::Stored;
  using Real = typename Number::Real;
  std::size_t const bodies = division.bodies;
  cells.division = division;
  allocate(space, cells.position, "apsis::forces::fmm::position", bodies);
  allocate(space, cells.mass, "apsis::forces::fmm::mass", bodies);
  allocate(space, cells.place, "apsis::forces::fmm::place", division.rows());
  allocate(space, cells.cell_mass, "apsis::forces::fmm::cell_mass", division.rows());
  allocate(space, cells.nodes, "apsis::forces::fmm::nodes", division.rows());
  allocate(space, cells.moments, "apsis::forces::fmm::moments", division.rows(),
           columns_to<typename Number::Real>(order));
  allocate(space, boxes, "apsis::forces::fmm::boxes", division.rows());
  Kokkos::parallel_for(
      "apsis::forces::fmm::build::along_the_curve",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0, bodies),
      AlongTheCurve<Number>{sources, along, cells.position, cells.mass});
  for_cells(space, "apsis::forces::fmm::build::leaf_places", division.leaves,
            LeafPlaces<Number>{cells, boxes});
  for (int level = division.depth - 1; level >= 0; --level) {
    for_cells(space, "apsis::forces::fmm::build::places", division.count_at(level),
              ParentPlaces<Number>{cells, boxes, CellId{1} << level});
  }
  double mass = 0.0;
  Stored whole[4];
  Kokkos::deep_copy(space, Kokkos::View<double, Kokkos::HostSpace>(&mass),
                    Kokkos::subview(cells.cell_mass, 1));
  Kokkos::deep_copy(space, Kokkos::View<Stored[4], Kokkos::HostSpace>(whole),
                    Kokkos::subview(cells.place, 1, Kokkos::ALL));
  double const smallest = smallest_radius<Stored>(space, cells.place, division);
  space.fence("apsis::forces::fmm::build: the host chooses units");
  double const largest = static_cast<double>(whole[3]);
  cells.units.mass = power_of_two_near(mass);
  // So that powers of the largest distance are numbers; see Decide::nearest for the smallest.
  double const least = largest * (sizeof(Real) == 4 ? 1e-12 : 1e-90);
  double const middle = std::sqrt(largest) * std::sqrt(std::clamp(smallest, least, largest));
  double const softened = softening > 0.0 ? 0.5 * softening / smallest_softening<Real>
                                          : std::numeric_limits<double>::infinity();
  cells.units.length = power_of_two_near(std::min(middle, softened));
  to_units(space, cells);
}

/// Their moments, in cells.units, once cells.body_pull is there or empty.
template <class Number, int order>
void build_moments(ExecutionSpace const& space, Cells<Number> const& cells) {
  auto const& division = cells.division;
  using Real = typename Number::Real;
  Kokkos::deep_copy(space, Kokkos::subview(cells.moments, 0, Kokkos::ALL), Real(0));
  for_cells(space, "apsis::forces::fmm::build::leaf_moments", division.leaves,
            LeafMoments<Number, order>{cells});
  for (int level = division.depth - 1; level >= 0; --level) {
    for_cells(space, "apsis::forces::fmm::build::moments", division.count_at(level),
              ParentMoments<Number, order>{cells, CellId{1} << level});
  }
}

}  // namespace apsis::forces::fmm
