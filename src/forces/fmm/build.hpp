// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cells.hpp"
#include "climb.hpp"
#include "curve_order.hpp"
#include "moments.hpp"
#include "packed_bodies.hpp"
#include "places.hpp"
#include <apsis/forces/pair.hpp>
#include <apsis/forces/request.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

/// How cells are made: bodies along the curve, then from the leaves to the whole.
namespace apsis::forces::fmm {

/// Runs a kernel for each of so many cells.
template <class Kernel>
void for_cells(ExecutionSpace const& space, char const* label, CellId count, Kernel const& kernel) {
  Kokkos::parallel_for(
      label, Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<CellId>>(space, 0, count),
      kernel);
}

/// What is needed while cells are made, kept as room.
template <class Stored>
struct BuildRoom {
  Boxes<Stored> boxes;
  Arrivals arrivals;
};

/// From what bodies come in to cells.units: into columns, and the places of cells. The mass of a
/// cell has done its work.
template <class Number>
void to_units(ExecutionSpace const& space, PackedBodies<typename Number::Stored> const& bodies,
              Cells<Number> const& cells) {
  using Stored = typename Number::Stored;
  double const per_length = 1.0 / cells.units.length, per_mass = 1.0 / cells.units.mass;
  Kokkos::parallel_for(
      "apsis::forces::fmm::build::bodies_to_units",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0,
                                                                          cells.division.bodies),
      KOKKOS_LAMBDA(std::size_t i) {
        auto const body = bodies(i);
        for (int axis = 0; axis < 3; ++axis) {
          cells.position(i, axis) =
              static_cast<Stored>(static_cast<double>(body.at[axis]) * per_length);
        }
        cells.mass(i) = static_cast<Stored>(static_cast<double>(body.mass) * per_mass);
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

/// Makes all cells of the bodies `along` the curve. Units are such that a softening (or 0) is not
/// too small for its third power. O(N); fences.
template <class Number, int order>
void build_places(ExecutionSpace const& space, PackedBodies<typename Number::Stored> const& along,
                  double softening, Division const& division, Cells<Number>& cells,
                  BuildRoom<typename Number::Stored>& room) {
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
  allocate(space, room.boxes, "apsis::forces::fmm::boxes", division.rows());
  allocate(space, room.arrivals, "apsis::forces::fmm::arrivals", division.rows());
  Kokkos::deep_copy(space, room.arrivals, 0u);
  for_groups(space, "apsis::forces::fmm::build::leaf_places", division.leaves,
             LeafPlaces<Number>{along, cells, room.boxes});
  climb(space, "apsis::forces::fmm::build::places", division, room.arrivals,
        ParentPlaces<Number>{cells, room.boxes});
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
  to_units(space, along, cells);
}

/// Their moments, in cells.units, once cells.body_pull is there or empty.
template <class Number, int order>
void build_moments(ExecutionSpace const& space, Cells<Number> const& cells,
                   Arrivals const& arrivals) {
  auto const& division = cells.division;
  using Real = typename Number::Real;
  Kokkos::deep_copy(space, Kokkos::subview(cells.moments, 0, Kokkos::ALL), Real(0));
  for_groups(space, "apsis::forces::fmm::build::leaf_moments", division.leaves,
             LeafMoments<Number, order>{cells});
  climb(space, "apsis::forces::fmm::build::moments", division, arrivals,
        ParentMoments<Number, order>{cells});
}

}  // namespace apsis::forces::fmm
