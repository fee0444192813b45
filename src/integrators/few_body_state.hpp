// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "increments.hpp"
#include "kick_drift.hpp"
#include "lanes/simd.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/forces/few_bodies.hpp>

#include <algorithm>
#include <cstddef>

/// The state of few bodies in the memory of one thread, and loops over it in packs of lanes.
namespace apsis::integrators {

/// Calls function(row, axis) for the first row of each pack and each axis.
template <class Real, class Function>
void for_each_pack(std::size_t rows, Function const& function) {
  constexpr std::size_t lanes = simd::native_lanes<Real>;
  for (std::size_t row = 0; row < rows; row += lanes) {
    for (int axis = 0; axis < 3; ++axis) function(row, axis);
  }
}

/// The pack that begins at a number of a column.
template <class Real>
using FewPack = typename simd::Pack<Real, simd::native_lanes<Real>>::type;
template <class Real>
FewPack<Real> pack_at(Real const& first) {
  return simd::loaded<FewPack<Real>>(&first);
}

/// Copies a column of the bodies, and repeats the last body up to `rows`.
template <class Real>
void load(forces::FewVectors<Real>& few, VectorColumns<Real> const& column, std::size_t rows) {
  std::size_t const last = column.extent(0) - 1;
  for (int axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < rows; ++i) few(i, axis) = column(std::min(i, last), axis);
  }
}
template <class Real>
void store(forces::FewVectors<Real> const& few, VectorColumns<Real> const& column) {
  for (int axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < column.extent(0); ++i) column(i, axis) = few(i, axis);
  }
}

/// Whether all positions and velocities are finite, and the squares of the distances from the
/// origin are at most `largest_square` [length^2]. May be false near that bound.
template <class Real>
bool is_finite(forces::FewMotions<Real> const& motions, std::size_t rows, double largest_square) {
  using Lanes = FewPack<Real>;
  auto const limit = static_cast<Real>(largest_square);
  auto bad = Lanes{} != Lanes{};
  for (std::size_t row = 0; row < rows; row += simd::native_lanes<Real>) {
    Lanes squared{}, zero{};
    for (int axis = 0; axis < 3; ++axis) {
      Lanes const x = pack_at(motions.position(row, axis));
      Lanes const v = pack_at(motions.velocity(row, axis));
      squared += x * x;
      zero += v - v;  // NaN unless v is finite
    }
    bad = bad | !(squared + zero <= limit);
  }
  for (int lane = 0; lane < simd::native_lanes<Real>; ++lane) {
    if constexpr (simd::native_lanes<Real> == 1) {
      if (bad) return false;
    } else {
      if (bad[lane]) return false;
    }
  }
  return true;
}

/// Few bodies in the memory of one thread, with the operations of kick_drift.hpp. `compensated` is
/// known at compile time: GCC would compute a product before a branch and then not contract it with
/// the addition, as the kernels do.
template <class Real, bool compensated = false>
struct FewBodies {
  forces::FewBodySums<Real>& sums;
  forces::FewMotions<Real> motions, remainders;
  forces::FewForces<Real> forces;

  FewBodies(forces::FewBodySums<Real>& sums_, Bodies<Real> const& bodies,
            Remainders<Real> const& saved_remainders = {})
      : sums(sums_) {
    std::size_t const rows = sums.rows();
    load(motions.position, bodies.position, rows);
    load(motions.velocity, bodies.velocity, rows);
    load(forces.acceleration, bodies.acceleration, rows);
    if constexpr (!compensated) return;
    load(remainders.position, saved_remainders.position, rows);
    load(remainders.velocity, saved_remainders.velocity, rows);
  }

  void store_in(Bodies<Real> const& bodies, Remainders<Real> const& saved_remainders = {}) const {
    store(motions.position, bodies.position);
    store(motions.velocity, bodies.velocity);
    store(forces.acceleration, bodies.acceleration);
    if constexpr (!compensated) return;
    store(remainders.position, saved_remainders.position);
    store(remainders.velocity, saved_remainders.velocity);
  }

  void evaluate() { sums.accelerate(motions, forces); }
  void kick(double dt) { add(motions.velocity, remainders.velocity, dt, forces.acceleration); }
  void drift(double dt) { add(motions.position, remainders.position, dt, motions.velocity); }
  void damp(double factor) {
    for_each_pack<Real>(sums.rows(), [&](std::size_t row, int axis) {
      auto& v = motions.velocity(row, axis);
      simd::store(&v, static_cast<Real>(factor) * pack_at(v));
    });
  }

  /// Calls step() up to `steps` times; stops after a state that is not finite, see
  /// Integrator::step_few(). Returns the number of completed steps.
  template <class Step>
  std::uint64_t repeat(std::uint64_t steps, double largest_square, Step const& step) {
    for (std::uint64_t step_count = 1; step_count <= steps; ++step_count) {
      step();
      if (!is_finite(motions, sums.rows(), largest_square)) return step_count;
    }
    return steps;
  }

 private:
  void add(forces::FewVectors<Real>& y, forces::FewVectors<Real>& remainder, double dt,
           forces::FewVectors<Real> const& rate) {
    auto const factor = static_cast<Real>(dt);
    for_each_pack<Real>(sums.rows(), [&](std::size_t row, int axis) {
      auto value = pack_at(y(row, axis));
      if constexpr (compensated) {
        auto low = pack_at(remainder(row, axis));
        add_increment(value, low, factor, pack_at(rate(row, axis)));
        simd::store(&remainder(row, axis), low);
      } else {
        add_increment(value, factor, pack_at(rate(row, axis)));
      }
      simd::store(&y(row, axis), value);
    });
  }
};

}  // namespace apsis::integrators
