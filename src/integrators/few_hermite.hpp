// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "few_body_state.hpp"
#include "integrators/hermite_columns.hpp"

namespace apsis::integrators {

/// A Hermite scheme for few bodies in the memory of one thread: the steps of Hermite with the same
/// formulas in the same order. Host only.
template <class Real, int order>
class FewHermite {
 public:
  static constexpr int evaluated = HermiteColumns<Real, order>::evaluated;

  FewHermite(HermiteColumns<Real, order> const& columns, Bodies<Real> const& bodies,
             forces::FewBodySums<Real>& sums)
      : sums_(sums) {
    std::size_t const rows = sums.rows();
    load(now_.position, bodies.position, rows);
    load(now_.velocity, bodies.velocity, rows);
    load(now_.position_low, columns.position_low, rows);
    load(velocity_low_, columns.velocity_low, rows);
    load(before_.acceleration, columns.now.acceleration, rows);
    load(before_.jerk, columns.now.jerk, rows);
    if constexpr (order == 6) load(before_.snap, columns.now.snap, rows);
    for (int k = 0; k < evaluated; ++k) load(higher_[k], columns.higher[k], rows);
  }

  void store(HermiteColumns<Real, order> const& columns, Bodies<Real> const& bodies) const {
    integrators::store(now_.position, bodies.position);
    integrators::store(now_.velocity, bodies.velocity);
    integrators::store(now_.position_low, columns.position_low);
    integrators::store(velocity_low_, columns.velocity_low);
    integrators::store(before_.acceleration, columns.now.acceleration);
    integrators::store(before_.jerk, columns.now.jerk);
    if constexpr (order == 6) integrators::store(before_.snap, columns.now.snap);
    for (int k = 0; k < evaluated; ++k) integrators::store(higher_[k], columns.higher[k]);
  }

  void step(Real dt, int corrections) {
    predict(dt);
    for (int n = 1; n <= corrections; ++n) {
      sums_.template differentiate<evaluated - 1>(predicted_, after_);
      correct(dt, n == corrections);
    }
  }

  bool is_finite(double largest_square) const {
    return integrators::is_finite(now_, sums_.rows(), largest_square);
  }

 private:
  using Pack = FewPack<Real>;

  static Force<Pack> force_at(forces::FewForces<Real> const& forces, std::size_t row, int axis) {
    Force<Pack> force;
    force.acceleration = pack_at(forces.acceleration(row, axis));
    force.jerk = pack_at(forces.jerk(row, axis));
    if constexpr (order == 6) force.snap = pack_at(forces.snap(row, axis));
    return force;
  }

  State<Pack> state_at(std::size_t row, int axis) const {
    return {pack_at(now_.position(row, axis)), pack_at(now_.velocity(row, axis)),
            pack_at(now_.position_low(row, axis)), pack_at(velocity_low_(row, axis))};
  }

  void predict(Real dt) {
    for_each_pack<Real>(sums_.rows(), [&](std::size_t row, int axis) {
      auto const force = force_at(before_, row, axis);
      auto const start = state_at(row, axis);
      Pack const crackle = order == 6 ? pack_at(higher_[0](row, axis)) : Pack{};
      auto const end = predicted(start, force, crackle, dt);
      simd::store(&predicted_.position(row, axis), end.position);
      simd::store(&predicted_.velocity(row, axis), end.velocity);
      simd::store(&predicted_.position_low(row, axis), end.position_low);
      if constexpr (order == 6) {
        simd::store(&predicted_.acceleration(row, axis),
                    predicted_acceleration(force, crackle, dt));
      }
    });
  }

  void correct(Real dt, bool last) {
    auto& output = last ? now_ : predicted_;
    for_each_pack<Real>(sums_.rows(), [&](std::size_t row, int axis) {
      auto const before = force_at(before_, row, axis);
      auto const after = force_at(after_, row, axis);
      auto const start = state_at(row, axis);
      auto const end = corrected<order>(start, before, after, dt);
      simd::store(&output.position(row, axis), end.position);
      simd::store(&output.velocity(row, axis), end.velocity);
      simd::store(&output.position_low(row, axis), end.position_low);
      if constexpr (order == 6) simd::store(&output.acceleration(row, axis), after.acceleration);
      if (!last) return;
      simd::store(&velocity_low_(row, axis), end.velocity_low);
      auto const higher = interpolated<order>(before, after, dt);
      for (int k = 0; k < evaluated; ++k) {
        simd::store(&higher_[k](row, axis), higher.derivative[k]);
      }
      simd::store(&before_.acceleration(row, axis), after.acceleration);
      simd::store(&before_.jerk(row, axis), after.jerk);
      if constexpr (order == 6) simd::store(&before_.snap(row, axis), after.snap);
    });
  }

  forces::FewBodySums<Real>& sums_;
  forces::FewMotions<Real> now_, predicted_;
  forces::FewVectors<Real> velocity_low_;
  forces::FewForces<Real> before_, after_;
  forces::FewVectors<Real> higher_[evaluated];
};

}  // namespace apsis::integrators
