// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forces/fmm/cells.hpp"
#include "forces/fmm/moments.hpp"
#include "forces/fmm/upward_pass.hpp"
#include "forces/pair.hpp"
#include "geometry.hpp"
#include "key_sort.hpp"
#include "packed_bodies.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/forces/request.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

/// Construction of the cells from the sorted bodies, in upward passes.
namespace apsis::forces::fmm {

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
