// SPDX-License-Identifier: Apache-2.0
#include "kick_drift.hpp"

#include "increments.hpp"
#include <apsis/core/backend.hpp>

#include <KokkosBlas1_scal.hpp>

#include <string_view>

namespace apsis::integrators {

namespace {

struct Rounded {
  template <class Real>
  KOKKOS_FORCEINLINE_FUNCTION void add(std::size_t, int, Real& y, Real factor, Real rate) const {
    add_increment(y, factor, rate);
  }
};

template <class Real>
struct Compensated {
  VectorColumns<Real> remainder;

  KOKKOS_FORCEINLINE_FUNCTION void add(std::size_t i, int axis, Real& y, Real factor,
                                       Real rate) const {
    add_increment(y, remainder(i, axis), factor, rate);
  }
};

/// Adds dt * rate to y, all columns in one kernel launch. For 1024 bodies on an H100 this takes
/// 3 us and KokkosBlas::axpy 11 us; launches dominate the time of a step of few bodies.
template <class Real, class Sum>
void advance(ExecutionSpace const& space, std::string_view label, VectorColumns<Real> const& y,
             VectorColumns<Real> const& rate, double dt, Sum const& sum) {
  Real const factor = static_cast<Real>(dt);
  for_each_body(
      space, label, y.extent(0), KOKKOS_LAMBDA(std::size_t i) {
        for (int axis = 0; axis < 3; ++axis) sum.add(i, axis, y(i, axis), factor, rate(i, axis));
      });
}

/// Kicks with dt_kick and then drifts with dt_drift, in one kernel launch.
template <class Real, class Sum>
void advance_both(ExecutionSpace const& space, Bodies<Real> const& bodies, double dt_kick,
                  double dt_drift, Sum const& velocity_sum, Sum const& position_sum) {
  auto const position = bodies.position;
  auto const velocity = bodies.velocity;
  auto const acceleration = bodies.acceleration;
  Real const kick = static_cast<Real>(dt_kick);
  Real const drift = static_cast<Real>(dt_drift);
  for_each_body(
      space, "apsis::integrators::kick_and_drift", bodies.size(), KOKKOS_LAMBDA(std::size_t i) {
        for (int axis = 0; axis < 3; ++axis) {
          Real v = velocity(i, axis);
          velocity_sum.add(i, axis, v, kick, acceleration(i, axis));
          velocity(i, axis) = v;
          position_sum.add(i, axis, position(i, axis), drift, v);
        }
      });
}

/// Kicks the bodies in `rows`; row k of the accelerations belongs to body rows[k].
template <class Real, class Sum>
void advance_rows(ExecutionSpace const& space, Bodies<Real> const& bodies,
                  forces::BodyRows const& rows, HalfSteps const& steps, Sum const& sum) {
  auto const velocity = bodies.velocity;
  auto const acceleration = bodies.acceleration;
  for_each_body(
      space, "apsis::integrators::kick_rows", rows.size(), KOKKOS_LAMBDA(std::size_t row) {
        std::size_t const i = rows[row];
        auto const factor = static_cast<Real>(steps.half_step(i));
        for (int axis = 0; axis < 3; ++axis) {
          sum.add(i, axis, velocity(i, axis), factor, acceleration(row, axis));
        }
      });
}

}  // namespace

template <class Real>
Remainders<Real> Remainders<Real>::zero(ExecutionSpace const& space, std::size_t bodies) {
  auto const make = [&](char const* name) {
    return VectorColumns<Real>(
        Kokkos::view_alloc(space, std::string("apsis::integrators::remainders::") + name), bodies);
  };
  return {true, make("position"), make("velocity")};
}

template <class Real>
void Remainders<Real>::exchange(ExecutionSpace const& space, SavedState& state) const {
  if (!compensated) return;
  state.exchange(space, "composition/position_remainder", position);
  state.exchange(space, "composition/velocity_remainder", velocity);
}

template <class Real>
void kick_rows(ExecutionSpace const& space, Bodies<Real> const& bodies,
               forces::BodyRows const& rows, HalfSteps const& steps,
               Remainders<Real> const& remainders) {
  if (remainders.compensated) {
    advance_rows(space, bodies, rows, steps, Compensated<Real>{remainders.velocity});
  } else {
    advance_rows(space, bodies, rows, steps, Rounded{});
  }
}

template <class Real>
void kick(ExecutionSpace const& space, Bodies<Real> const& bodies, double dt,
          Remainders<Real> const& remainders) {
  auto const advance_with = [&](auto const& sum) {
    advance(space, "apsis::integrators::kick", bodies.velocity, bodies.acceleration, dt, sum);
  };
  if (remainders.compensated) return advance_with(Compensated<Real>{remainders.velocity});
  advance_with(Rounded{});
}

template <class Real>
void drift(ExecutionSpace const& space, Bodies<Real> const& bodies, double dt,
           Remainders<Real> const& remainders) {
  auto const advance_with = [&](auto const& sum) {
    advance(space, "apsis::integrators::drift", bodies.position, bodies.velocity, dt, sum);
  };
  if (remainders.compensated) return advance_with(Compensated<Real>{remainders.position});
  advance_with(Rounded{});
}

template <class Real>
void kick_and_drift(ExecutionSpace const& space, Bodies<Real> const& bodies, double dt_kick,
                    double dt_drift, Remainders<Real> const& remainders) {
  if (!remainders.compensated) {
    advance_both(space, bodies, dt_kick, dt_drift, Rounded{}, Rounded{});
    return;
  }
  advance_both(space, bodies, dt_kick, dt_drift, Compensated<Real>{remainders.velocity},
               Compensated<Real>{remainders.position});
}

template <class Real>
void damp(ExecutionSpace const& space, Bodies<Real> const& bodies, double factor) {
  if (bodies.size() == 0) return;
  KokkosBlas::scal(space, bodies.velocity, static_cast<Real>(factor), bodies.velocity);
}

template struct Remainders<float>;
template struct Remainders<double>;
template void kick_rows(ExecutionSpace const&, Bodies<float> const&, forces::BodyRows const&,
                        HalfSteps const&, Remainders<float> const&);
template void kick_rows(ExecutionSpace const&, Bodies<double> const&, forces::BodyRows const&,
                        HalfSteps const&, Remainders<double> const&);
template void kick(ExecutionSpace const&, Bodies<float> const&, double, Remainders<float> const&);
template void kick(ExecutionSpace const&, Bodies<double> const&, double, Remainders<double> const&);
template void drift(ExecutionSpace const&, Bodies<float> const&, double, Remainders<float> const&);
template void drift(ExecutionSpace const&, Bodies<double> const&, double,
                    Remainders<double> const&);
template void kick_and_drift(ExecutionSpace const&, Bodies<float> const&, double, double,
                             Remainders<float> const&);
template void kick_and_drift(ExecutionSpace const&, Bodies<double> const&, double, double,
                             Remainders<double> const&);
template void damp(ExecutionSpace const&, Bodies<float> const&, double);
template void damp(ExecutionSpace const&, Bodies<double> const&, double);

}  // namespace apsis::integrators
