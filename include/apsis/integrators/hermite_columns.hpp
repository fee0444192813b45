// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/forces/solver.hpp>
#include <apsis/integrators/hermite_formulas.hpp>

namespace apsis::integrators {

/// The columns that a Hermite scheme of order 4 or 6 works on. `bodies` and `now` are each body's
/// at its own time, `predicted` are all bodies at the time that is stepped to, `next` (a row for
/// each target) is what they do there, and `higher` comes from the interpolation over a body's last
/// step.
template <class Real, int order>
struct HermiteColumns {
  static_assert(order == 4 || order == 6);
  static constexpr int evaluated = order / 2;  ///< acceleration, jerk, and snap with order 6
  /// Memory for each body beside the bodies themselves, in vectors.
  static constexpr std::size_t vectors = order == 4 ? 7 : 11;

  Bodies<Real> bodies, predicted;
  forces::Field<Real> now, next;
  Kokkos::Array<VectorColumns<Real>, evaluated> higher;

  KOKKOS_INLINE_FUNCTION Force<Real> force_of(forces::Field<Real> const& of, std::size_t row,
                                              int axis) const {
    Force<Real> force;
    force.acceleration = of.acceleration(row, axis);
    force.jerk = of.jerk(row, axis);
    if constexpr (order == 6) force.snap = of.snap(row, axis);
    return force;
  }
};

/// Allocates the columns for these bodies, whose Views it shares; higher derivatives are 0.
template <class Real, int order>
HermiteColumns<Real, order> allocate_hermite_columns(ExecutionSpace const& space,
                                                     Bodies<Real> const& bodies) {
  auto const make = [&](char const* name) {
    return VectorColumns<Real>(
        Kokkos::view_alloc(space, std::string("apsis::integrators::hermite::") + name),
        bodies.size());
  };
  HermiteColumns<Real, order> columns;
  columns.bodies = bodies;
  columns.predicted = bodies;  // masses and ids
  columns.predicted.position = make("predicted_position");
  columns.predicted.velocity = make("predicted_velocity");
  columns.now.acceleration = bodies.acceleration;
  columns.now.jerk = make("jerk");
  columns.next.acceleration = make("next_acceleration");
  columns.next.jerk = make("next_jerk");
  if (order == 6) {
    columns.predicted.acceleration = make("predicted_acceleration");
    columns.now.snap = make("snap");
    columns.next.snap = make("next_snap");
  }
  for (int k = 0; k < columns.evaluated; ++k) columns.higher[k] = make("higher_derivatives");
  return columns;
}

/// Derivatives of all bodies where they are, for the first step. Does not fence.
template <class Real, int order>
void evaluate_first(Context const& context, HermiteColumns<Real, order> const& columns,
                    forces::Solver<Real>& solver) {
  if constexpr (order == 6) {
    auto const& space = context.space;
    // A snap needs everybody's acceleration first, and must not overwrite it while others read it.
    solver.evaluate(context, forces::accelerations_of(columns.bodies));
    solver.evaluate(context, forces::field_of(columns.bodies, columns.next));
    Kokkos::deep_copy(space, columns.now.acceleration, columns.next.acceleration);
    Kokkos::deep_copy(space, columns.now.jerk, columns.next.jerk);
    Kokkos::deep_copy(space, columns.now.snap, columns.next.snap);
  } else {
    solver.evaluate(context, forces::field_of(columns.bodies, columns.now));
  }
}

/// Every body that steps by the same dt.
template <class Real>
struct SharedStep {
  Real dt;
  KOKKOS_INLINE_FUNCTION Real operator()(std::size_t) const { return dt; }
};

/// Every body from a time of its own, in ticks, to `now`.
template <class Real>
struct OwnStep {
  Kokkos::View<std::uint64_t*, MemorySpace> time;  ///< of each body [ticks]
  std::uint64_t now;
  double tick;  ///< [time]
  KOKKOS_INLINE_FUNCTION Real operator()(std::size_t i) const {
    return static_cast<Real>(static_cast<double>(now - time(i)) * tick);
  }
};

/// predicted = bodies, carried forward by step(i). O(N), no fence.
template <class Real, int order, class Step>
void predict(ExecutionSpace const& space, HermiteColumns<Real, order> const& columns,
             Step const& step) {
  Kokkos::parallel_for(
      "apsis::integrators::hermite::predict",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0,
                                                                          columns.bodies.size()),
      KOKKOS_LAMBDA(std::size_t i) {
        Real const dt = step(i);
        for (int axis = 0; axis < 3; ++axis) {
          auto const force = columns.force_of(columns.now, i, axis);
          State<Real> const at{columns.bodies.position(i, axis), columns.bodies.velocity(i, axis)};
          // Order 4 predicts with what it evaluated alone.
          Real const crackle = order == 6 ? columns.higher[0](i, axis) : Real(0);
          auto const there = predicted(at, force, crackle, dt);
          columns.predicted.position(i, axis) = there.position;
          columns.predicted.velocity(i, axis) = there.velocity;
          if (order == 6) {
            columns.predicted.acceleration(i, axis) = predicted_acceleration(force, crackle, dt);
          }
        }
      });
}

/// Corrects the listed bodies (all if the list is empty) by what `next` found where they were
/// predicted to be: the prediction itself, or with `last` the bodies, whose derivatives are then
/// those of `next`. O(targets), no fence.
template <class Real, int order, class Step>
void correct(ExecutionSpace const& space, HermiteColumns<Real, order> const& columns,
             forces::BodyList const& listed, std::size_t targets, Step const& step, bool last) {
  Kokkos::parallel_for(
      "apsis::integrators::hermite::correct",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0, targets),
      KOKKOS_LAMBDA(std::size_t row) {
        std::size_t const i = listed.extent(0) == 0 ? row : listed(row);
        Real const dt = step(i);
        for (int axis = 0; axis < 3; ++axis) {
          auto const before = columns.force_of(columns.now, i, axis);
          auto const after = columns.force_of(columns.next, row, axis);
          State<Real> const at{columns.bodies.position(i, axis), columns.bodies.velocity(i, axis)};
          auto const there = corrected<order>(at, before, after, dt);
          auto const& to = last ? columns.bodies : columns.predicted;
          to.position(i, axis) = there.position;
          to.velocity(i, axis) = there.velocity;
          if (order == 6) to.acceleration(i, axis) = after.acceleration;
          if (!last) continue;
          auto const higher = interpolated<order>(before, after, dt);
          for (int k = 0; k < columns.evaluated; ++k) columns.higher[k](i, axis) = higher.of[k];
          columns.now.acceleration(i, axis) = after.acceleration;
          columns.now.jerk(i, axis) = after.jerk;
          if (order == 6) columns.now.snap(i, axis) = after.snap;
        }
      });
}

/// The longest step of body i [time]; see longest_step() of hermite_formulas.hpp.
template <class Real, int order>
KOKKOS_INLINE_FUNCTION double longest_step_of(HermiteColumns<Real, order> const& columns,
                                              std::size_t i, double eta) {
  double squares[order] = {};
  for (int axis = 0; axis < 3; ++axis) {
    auto const force = columns.force_of(columns.now, i, axis);
    double const known[3] = {force.acceleration, force.jerk, force.snap};
    for (int k = 0; k < columns.evaluated; ++k) {
      double const higher = columns.higher[k](i, axis);
      squares[k] += known[k] * known[k];
      squares[columns.evaluated + k] += higher * higher;
    }
  }
  for (double& square : squares) square = Kokkos::sqrt(square);
  return longest_step<order>(squares, eta);
}

}  // namespace apsis::integrators
