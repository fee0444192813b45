// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "integrators/cancellation.hpp"
#include "integrators/hermite_formulas.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/forces/extra.hpp>
#include <apsis/forces/solver.hpp>

namespace apsis::integrators {

/// Workspace of a Hermite scheme of order 4 or 6. `bodies` and `now` hold each body's state and
/// derivatives at the body's own time; `predicted` holds all bodies at the end of the step, and
/// `next` (one row per target) the derivatives there; `higher` holds the higher derivatives from
/// the interpolation over each body's last step.
///
/// Positions and velocities are compensated sums: `position_low` and `velocity_low` are the low
/// parts of `bodies`. Separations of few bodies include the low parts of the predicted positions;
/// for many bodies, where closest pairs are not resolved to the last digit anyway, they would slow
/// the sums over pairs by a tenth.
template <class Real, int order>
struct HermiteColumns {
  static_assert(order == 4 || order == 6);
  /// Number of evaluated derivatives: acceleration, jerk, and with order 6 snap.
  static constexpr int evaluated = order / 2;
  /// Memory per body in addition to the bodies themselves, in vectors.
  static constexpr std::size_t vectors = order == 4 ? 9 : 13;

  Bodies<Real> bodies, predicted;
  forces::Field<Real> now, next;
  Kokkos::Array<VectorColumns<Real>, evaluated> higher;
  VectorColumns<Real> position_low, velocity_low;
  bool has_predicted_low = false;       ///< the same on all ranks
  VectorColumns<Real> predicted_low{};  ///< low parts of the predicted positions, if kept
  /// Parts of `now`, `next` and `higher` by forces that fix the frame, if there are any: a smooth
  /// field does not hide the time scale of a close pair from the criterion.
  bool has_fields = false;  ///< the same on all ranks
  forces::Field<Real> field_now{}, field_next{};
  Kokkos::Array<VectorColumns<Real>, evaluated> field_higher{};

  KOKKOS_INLINE_FUNCTION State<Real> state_of(std::size_t i, int axis) const {
    return {bodies.position(i, axis), bodies.velocity(i, axis), position_low(i, axis),
            velocity_low(i, axis)};
  }
  KOKKOS_INLINE_FUNCTION Force<Real> force_of(forces::Field<Real> const& field, std::size_t row,
                                              int axis) const {
    Force<Real> force;
    force.acceleration = field.acceleration(row, axis);
    force.jerk = field.jerk(row, axis);
    if constexpr (order == 6) force.snap = field.snap(row, axis);
    return force;
  }
  /// Moves the field of body i from `field_next` to `field_now` at the end of its step dt.
  KOKKOS_INLINE_FUNCTION void advance_field(std::size_t i, std::size_t row, int axis,
                                            Real dt) const {
    auto const before = force_of(field_now, i, axis), after = force_of(field_next, row, axis);
    auto const part = interpolated<order>(before, after, dt);
    for (int k = 0; k < evaluated; ++k) field_higher[k](i, axis) = part.derivative[k];
    field_now.acceleration(i, axis) = after.acceleration;
    field_now.jerk(i, axis) = after.jerk;
    if constexpr (order == 6) field_now.snap(i, axis) = after.snap;
  }
};

/// Allocates the columns for these bodies and shares the Views of the bodies. The higher
/// derivatives and the low parts are 0.
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
  columns.now.wants = forces::Wants::acceleration | forces::Wants::jerk;
  columns.next.acceleration = make("next_acceleration");
  columns.next.jerk = make("next_jerk");
  if (order == 6) {
    columns.predicted.acceleration = make("predicted_acceleration");
    columns.now.snap = make("snap");
    columns.next.snap = make("next_snap");
    columns.now.wants = columns.now.wants | forces::Wants::snap;
  }
  columns.next.wants = columns.now.wants;
  for (int k = 0; k < columns.evaluated; ++k) columns.higher[k] = make("higher_derivatives");
  columns.position_low = make("position_low");
  columns.velocity_low = make("velocity_low");
  columns.has_predicted_low = bodies.total <= forces::max_few_bodies;
  if (columns.has_predicted_low) columns.predicted_low = make("predicted_position_low");
  return columns;
}

/// Allocates the columns of fields. Their values are 0.
template <class Real, int order>
void allocate_field_columns(ExecutionSpace const& space, HermiteColumns<Real, order>& columns) {
  auto const make = [&] {
    return VectorColumns<Real>(Kokkos::view_alloc(space, "apsis::integrators::hermite::field"),
                               columns.bodies.size());
  };
  columns.has_fields = true;
  for (auto* const field : {&columns.field_now, &columns.field_next}) {
    *field = {columns.now.wants, make(), make()};
    if (order == 6) field->snap = make();
  }
  for (auto& higher : columns.field_higher) higher = make();
}

/// Overwrites the requested columns by the forces that fix the frame alone, without gravity.
template <class Real>
void evaluate_fields(Context const& context, forces::Solver<Real> const& solver,
                     forces::Request<Real> const& request) {
  auto const& wanted = request.wanted;
  VectorColumns<Real> const columns[]{wanted.acceleration, wanted.jerk, wanted.snap};
  for (auto const& column : columns) {
    if (column.extent(0) > 0) Kokkos::deep_copy(context.space, column, Real(0));
  }
  solver.extra_forces()->add(context, request, solver.time(), true);
}

/// Evaluates the derivatives of all bodies at their current state, for the first step. Does not
/// fence.
template <class Real, int order>
void evaluate_first(Context const& context, HermiteColumns<Real, order> const& columns,
                    forces::Solver<Real>& solver) {
  if constexpr (order == 6) {
    auto const& space = context.space;
    // The snap depends on the accelerations of all bodies. These are evaluated first, and the
    // second evaluation writes to `next` because it still reads them.
    solver.evaluate(context, forces::accelerations_of(columns.bodies));
    solver.evaluate(context, forces::field_of(columns.bodies, columns.next));
    Kokkos::deep_copy(space, columns.now.acceleration, columns.next.acceleration);
    Kokkos::deep_copy(space, columns.now.jerk, columns.next.jerk);
    Kokkos::deep_copy(space, columns.now.snap, columns.next.snap);
  } else {
    solver.evaluate(context, forces::field_of(columns.bodies, columns.now));
  }
}

/// Evaluates the derivatives of the predicted bodies in `rows`, in `next`, and before the `last`
/// correction those of the fields.
template <class Real, int order>
void evaluate_predicted(Context const& context, HermiteColumns<Real, order> const& columns,
                        forces::BodyRows const& rows, forces::Solver<Real>& solver, bool last) {
  auto request = forces::field_at(columns.predicted, rows, columns.next);
  if (columns.has_predicted_low) request.set_low_parts(columns.predicted_low);
  solver.evaluate(context, request);
  if (!columns.has_fields || !last) return;
  request.wanted = columns.field_next;
  evaluate_fields(context, solver, request);
}

/// One step for all bodies.
template <class Real>
struct SharedStep {
  Real dt;
  KOKKOS_INLINE_FUNCTION Real operator()(std::size_t) const { return dt; }
};

/// Individual steps: each body steps from its own time to `now`.
template <class Real>
struct IndividualStep {
  Kokkos::View<std::uint64_t*, MemorySpace> time;  ///< time of each body [ticks]
  std::uint64_t now;                               ///< [ticks]
  double tick;                                     ///< length of a tick [time]
  KOKKOS_INLINE_FUNCTION Real operator()(std::size_t i) const {
    return static_cast<Real>(static_cast<double>(now - time(i)) * tick);
  }
};

/// Predictor: sets `predicted` to all bodies at the time step(i) after their own time. O(N), no
/// fence.
template <class Real, int order, class Step>
void predict(ExecutionSpace const& space, HermiteColumns<Real, order> const& columns,
             Step const& step) {
  for_each(
      space, "apsis::integrators::hermite::predict", columns.bodies.size(),
      KOKKOS_LAMBDA(std::size_t i) {
        Real const dt = step(i);
        for (int axis = 0; axis < 3; ++axis) {
          auto const force = columns.force_of(columns.now, i, axis);
          auto const start = columns.state_of(i, axis);
          // Order 4 predicts with the evaluated derivatives only.
          Real const crackle = order == 6 ? columns.higher[0](i, axis) : Real(0);
          auto const end = predicted(start, force, crackle, dt);
          columns.predicted.position(i, axis) = end.position;
          columns.predicted.velocity(i, axis) = end.velocity;
          if (columns.has_predicted_low) columns.predicted_low(i, axis) = end.position_low;
          if (order == 6) {
            columns.predicted.acceleration(i, axis) = predicted_acceleration(force, crackle, dt);
          }
        }
      });
}

/// Corrector: corrects the bodies in `rows` with the derivatives `next` at the predicted state, one
/// row for each of them. Writes the corrected state to `predicted` or, with `last`, to `bodies`;
/// then it also sets `now` to the derivatives of `next` and `higher` to those of the interpolation.
/// O(targets), no fence.
template <class Real, int order, class Step>
void correct(ExecutionSpace const& space, HermiteColumns<Real, order> const& columns,
             forces::BodyRows const& rows, Step const& step, bool last) {
  for_each(
      space, "apsis::integrators::hermite::correct", rows.size(), KOKKOS_LAMBDA(std::size_t row) {
        std::size_t const i = rows[row];
        Real const dt = step(i);
        for (int axis = 0; axis < 3; ++axis) {
          auto const before = columns.force_of(columns.now, i, axis);
          auto const after = columns.force_of(columns.next, row, axis);
          auto const start = columns.state_of(i, axis);
          auto const end = corrected<order>(start, before, after, dt);
          auto const& output = last ? columns.bodies : columns.predicted;
          output.position(i, axis) = end.position;
          output.velocity(i, axis) = end.velocity;
          if (order == 6) output.acceleration(i, axis) = after.acceleration;
          if (!last) {
            if (columns.has_predicted_low) columns.predicted_low(i, axis) = end.position_low;
            continue;
          }
          columns.position_low(i, axis) = end.position_low;
          columns.velocity_low(i, axis) = end.velocity_low;
          auto const higher = interpolated<order>(before, after, dt);
          for (int k = 0; k < columns.evaluated; ++k) {
            columns.higher[k](i, axis) = higher.derivative[k];
          }
          columns.now.acceleration(i, axis) = after.acceleration;
          columns.now.jerk(i, axis) = after.jerk;
          if (order == 6) columns.now.snap(i, axis) = after.snap;
          if (columns.has_fields) columns.advance_field(i, row, axis, dt);
        }
      });
}

/// Longest step of a body [time] by longest_step() of hermite_formulas.hpp. In a field it is the
/// shorter one of that of gravity alone and that of the field alone.
template <class Real, int order>
struct LongestStep {
  HermiteColumns<Real, order> columns;
  double eta;
  Cancellation cancellation;

  KOKKOS_FUNCTION double operator()(std::size_t i) const {
    return (*this)(i, Kokkos::Experimental::infinity_v<double>);
  }
  /// For a body in equilibrium it is not below `quiet` [time].
  KOKKOS_FUNCTION double operator()(std::size_t i, double quiet) const {
    if (!columns.has_fields) return by_gravity(i, 0.0, quiet);
    double const gravity = by_gravity(i, -1.0, quiet);
    double const field = by_derivatives(i, 0.0, 1.0).longest;
    // Either is NaN, and allows any step, if its derivatives are 0.
    return field < gravity || !(gravity >= 0.0) ? field : gravity;
  }

 private:
  struct Step {
    double longest, acceleration_squared;
  };

  /// The step for all derivatives + `field` times those of the fields.
  KOKKOS_FUNCTION double by_gravity(std::size_t i, double field, double quiet) const {
    auto const step = by_derivatives(i, 1.0, field);
    auto const& x = columns.bodies.position;
    Vec3<double> const position{static_cast<double>(x(i, 0)), static_cast<double>(x(i, 1)),
                                static_cast<double>(x(i, 2))};
    bool const is_quiet =
        step.longest < quiet && cancellation(i, position, step.acceleration_squared);
    return is_quiet ? quiet : step.longest;
  }
  /// The step for `share` times all derivatives + `field` times those of the fields.
  KOKKOS_FUNCTION Step by_derivatives(std::size_t i, double share, double field) const {
    double squares[order] = {};
    for (int axis = 0; axis < 3; ++axis) {
      auto const force = columns.force_of(columns.now, i, axis);
      double known[3] = {force.acceleration, force.jerk, force.snap};
      double higher[3] = {};
      for (int k = 0; k < columns.evaluated; ++k) higher[k] = columns.higher[k](i, axis);
      if (columns.has_fields) {
        auto const part = columns.force_of(columns.field_now, i, axis);
        double const known_part[3] = {part.acceleration, part.jerk, part.snap};
        for (int k = 0; k < columns.evaluated; ++k) {
          known[k] = share * known[k] + field * known_part[k];
          higher[k] = share * higher[k] + field * columns.field_higher[k](i, axis);
        }
      }
      for (int k = 0; k < columns.evaluated; ++k) {
        squares[k] += known[k] * known[k];
        squares[columns.evaluated + k] += higher[k] * higher[k];
      }
    }
    double const acceleration_squared = squares[0];
    for (double& square : squares) square = Kokkos::sqrt(square);
    return {longest_step<order>(squares, eta), acceleration_squared};
  }
};

}  // namespace apsis::integrators
