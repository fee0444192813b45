// SPDX-License-Identifier: Apache-2.0
#include "apsis/forces/few_bodies.hpp"

#include "forces/direct/motion_law.hpp"
#include "sweep.hpp"

#include <algorithm>

namespace apsis::forces {

template <class Stored>
template <class Number, template <class> class Softening>
struct FewBodySums<Stored>::Kernels {
  using Real = typename Number::Real;
  static constexpr int lanes = simd::native_lanes<Real>;
  using Lanes = typename simd::Pack<Real, lanes>::type;

  static GravityLaw<Number, Softening, Wants::acceleration> law(FewBodySums const& sums,
                                                                FewMotions<Stored> const& motions,
                                                                FewForces<Stored>& forces) {
    VectorRows<Stored const> const position = rows_of(motions.position);
    // Softening and G, rounded to the precision of the bodies.
    auto const eps = static_cast<Real>(static_cast<Stored>(sums.gravity_.softening));
    auto const G = static_cast<typename Number::Total>(static_cast<Stored>(sums.gravity_.G));
    LowRows<Number> low;
    if constexpr (Number::has_low_columns) {
      low = {rows_of(motions.position_low), rows_of(motions.position_low)};
    }
    return {low,
            position,
            Rows<Stored const>(sums.mass_.data()),
            position,
            rows_of(forces.acceleration),
            {},
            Softening<Real>::make(eps),
            G,
            0,
            {}};
  }

  static void accelerate(FewBodySums const& sums, FewMotions<Stored> const& motions,
                         FewForces<Stored>& forces) {
    sum_pairs(sums, law(sums, motions, forces));
  }

  template <int derivatives>
  static void differentiate(FewBodySums const& sums, FewMotions<Stored> const& motions,
                            FewForces<Stored>& forces) {
    MotionLaw<Number, Softening, derivatives> motion_law{law(sums, motions, forces), {}, {}, {}};
    motion_law.results[0] = rows_of(forces.acceleration);
    motion_law.results[1] = rows_of(forces.jerk);
    motion_law.motion[0] = motion_law.target_motion[0] = rows_of(motions.velocity);
    if constexpr (derivatives == 2) {
      motion_law.results[2] = rows_of(forces.snap);
      motion_law.motion[1] = motion_law.target_motion[1] = rows_of(motions.acceleration);
    }
    sum_pairs(sums, motion_law);
  }

 private:
  template <class Law>
  static void sum_pairs(FewBodySums const& sums, Law const& law) {
    for (std::size_t row = 0; row < sums.rows_; row += lanes) {
      typename Law::template Target<Lanes> target;
      typename Law::template Sum<Lanes> sum{};
      typename Law::template Total<lanes> total{};
      law.load_targets(target, row);
      for (std::size_t k = 0; k < sums.source_count_; ++k) {
        law.add(sum, target, law.source(sums.source_[k]));
      }
      // Direct adds up tiles; so few sources are one tile.
      total.add(sum);
      law.store_all(row, total);
    }
  }

  static VectorRows<Stored const> rows_of(FewVectors<Stored> const& vectors) {
    return {vectors.columns[0], max_few_bodies};
  }
  static VectorRows<Stored> rows_of(FewVectors<Stored>& vectors) {
    return {vectors.columns[0], max_few_bodies};
  }
};

template <class Stored>
std::optional<FewBodySums<Stored>> FewBodySums<Stored>::make(Precision precision,
                                                             Gravity const& gravity,
                                                             std::span<Stored const> mass,
                                                             bool exclude_massless) {
  if (!bodies_on_host || mass.empty() || mass.size() > max_few_bodies) return std::nullopt;
  FewBodySums sums;
  sums.gravity_ = gravity;
  sums.count_ = mass.size();
  std::copy(mass.begin(), mass.end(), sums.mass_.begin());
  for (std::size_t i = 0; i < mass.size(); ++i) {
    if (!exclude_massless || mass[i] != Stored(0)) sums.source_[sums.source_count_++] = i;
  }
  in_precision(precision, [&]<class Number>(Number) {
    if constexpr (std::is_same_v<typename Number::Stored, Stored>) {
      constexpr std::size_t lanes = simd::native_lanes<typename Number::Real>;
      sums.rows_ = (sums.count_ + lanes - 1) / lanes * lanes;
      auto const set = [&]<template <class> class Softening>() {
        using Motion = Kernels<WithLowParts<Number>, Softening>;
        sums.accelerate_ = Kernels<Number, Softening>::accelerate;
        sums.jerks_ = Motion::template differentiate<1>;
        sums.snaps_ = Motion::template differentiate<2>;
      };
      AnySoftening::choose(gravity, set);
    }
  });
  return sums;
}

template class FewBodySums<float>;
template class FewBodySums<double>;

}  // namespace apsis::forces
