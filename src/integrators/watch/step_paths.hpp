// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "step_watch_kernels.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/core/views.hpp>

#include <string>

/// Columns of the paths of bodies during a step.
namespace apsis::integrators {

/// Level of each body.
using Levels = Kokkos::View<int*, MemorySpace>;

/// Returns columns of zeros; `name` is part of their label.
template <class Real>
VectorColumns<Real> allocate_columns(ExecutionSpace const& space, std::size_t rows,
                                     char const* name) {
  return VectorColumns<Real>(
      Kokkos::view_alloc(space, std::string("apsis::integrators::step_watch::") + name), rows);
}

/// Returns paths of zeros.
template <class Real>
Paths<Real> make_paths(ExecutionSpace const& space, std::size_t rows, bool straight) {
  Paths<Real> paths{allocate_columns<Real>(space, rows, "position"),
                    allocate_columns<Real>(space, rows, "velocity")};
  paths.is_straight = straight;
  if (!straight) {
    paths.quadratic = allocate_columns<double>(space, rows, "quadratic");
    paths.cubic = allocate_columns<double>(space, rows, "cubic");
  }
  return paths;
}

/// Sets the start of a step to the present positions and velocities.
template <class Real>
void set_start(ExecutionSpace const& space, Bodies<Real> const& bodies,
               StepStart<Real> const& start) {
  auto const position = bodies.position, velocity = bodies.velocity;
  for_each_body(
      space, "apsis::integrators::step_watch::start", bodies.size(), KOKKOS_LAMBDA(std::size_t i) {
        for (int axis = 0; axis < 3; ++axis) {
          start.position(i, axis) = position(i, axis);
          start.velocity(i, axis) = velocity(i, axis);
        }
      });
}

/// Sets the paths of all bodies during a step of length h, then its start to its end.
template <class Real>
void set_paths(ExecutionSpace const& space, Bodies<Real> const& bodies, double h,
               StepStart<Real> const& start, Paths<Real> const& paths) {
  auto const position = bodies.position, velocity = bodies.velocity;
  for_each_body(
      space, "apsis::integrators::step_watch::paths", bodies.size(), KOKKOS_LAMBDA(std::size_t i) {
        for (int axis = 0; axis < 3; ++axis) {
          set_hermite_path(paths, start, i, axis, position(i, axis), velocity(i, axis), h);
        }
      });
}

/// Copies the rows of all bodies: row j of the output is row order(j) of the input.
template <class Real>
void reorder_paths(ExecutionSpace const& space, forces::BodyList const& order,
                   Paths<Real> const& input, Paths<Real> const& output, bool has_levels,
                   Levels const& level, Levels const& output_level) {
  for_each_body(
      space, "apsis::integrators::step_watch::reorder", order.extent(0),
      KOKKOS_LAMBDA(std::size_t j) {
        std::size_t const i = order(j);
        for (int axis = 0; axis < 3; ++axis) {
          output.position(j, axis) = input.position(i, axis);
          output.velocity(j, axis) = input.velocity(i, axis);
          if (input.is_straight) continue;
          output.quadratic(j, axis) = input.quadratic(i, axis);
          output.cubic(j, axis) = input.cubic(i, axis);
        }
        if (has_levels) output_level(j) = level(i);
      });
}

/// Sets the largest distance that each source may have from its final position during its step,
/// in the frame of source 0.
template <class Real>
void set_reach(ExecutionSpace const& space, Paths<Real> const& path, MovedBodies const& moved,
               std::size_t count, Column<double> const& reach) {
  for_each_body(
      space, "apsis::integrators::step_watch::reach", count, KOKKOS_LAMBDA(std::size_t j) {
        reach(j) = reach_of(path, j, Kokkos::abs(moved.step_of(j)), row(path.velocity, 0));
      });
}

}  // namespace apsis::integrators
