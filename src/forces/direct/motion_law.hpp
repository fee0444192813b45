// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forces/gravity_law.hpp"
#include <apsis/forces/request.hpp>

namespace apsis::forces {

/// A source with its velocity and, for the snap, its acceleration.
template <class Place, class Real, int derivatives>
struct alignas(4 * sizeof(Real)) MovingMass : Place {
  Real motion[4 * derivatives];  ///< x, y, z and one unused, for each derivative

  /// Builds a source from its components in order of declaration.
  template <class Column>
  static MovingMass from_components(Column const& column) {
    constexpr int position_count = sizeof(Place) / sizeof(Real);
    MovingMass mass;
    static_cast<Place&>(mass) = Place::from_components(column);
    for (int k = 0; k < 4 * derivatives; ++k) mass.motion[k] = column(position_count + k);
    return mass;
  }
};

/// Acceleration, jerk (Makino & Aarseth 1992, PASJ 44, 141, equations 1 and 2) and, with two
/// derivatives, snap (Nitadori & Makino 2008, New Astron. 13, 498) as a law of the tile loop.
template <class Number, template <class> class Softening, int derivatives>
struct MotionLaw {
  using Real = typename Number::Real;
  using Stored = typename Number::Stored;
  using Gravity = GravityLaw<Number, Softening, Wants::acceleration>;
  using Source = MovingMass<typename Gravity::Source, Real, derivatives>;
  template <class Lanes>
  using Sources = MovingMass<typename Gravity::template Sources<Lanes>, Lanes, derivatives>;

  static constexpr bool excludes_self = false;
  static constexpr int rows = derivatives + 1;

  template <class Lanes>
  struct Target {
    typename Gravity::template Target<Lanes> position;
    Motion<Lanes> motion[derivatives];
  };
  /// A target that is also a source.
  template <class Lanes>
  struct MassiveTarget {
    Target<Lanes> position;
    Lanes m;
  };
  template <class Lanes>
  struct Sum {
    Motion<Lanes> terms[rows]{};
  };
  template <int lanes>
  struct Total {
    using Sums = typename Number::Total;
    Motion<typename simd::Pack<Sums, lanes>::type> terms[rows]{};

    template <class Lanes>
    KOKKOS_FORCEINLINE_FUNCTION void add(Sum<Lanes> const& sum) {
      for (int k = 0; k < rows; ++k) {
        terms[k].x += simd::widened<Sums, Real>(sum.terms[k].x);
        terms[k].y += simd::widened<Sums, Real>(sum.terms[k].y);
        terms[k].z += simd::widened<Sums, Real>(sum.terms[k].z);
      }
    }
  };

  Gravity gravity;
  Kokkos::Array<VectorRows<Stored const>, derivatives> motion;  ///< velocity and acceleration
  Kokkos::Array<VectorRows<Stored const>, derivatives> target_motion;
  Kokkos::Array<VectorRows<Stored>, rows> results;  ///< of each row

  KOKKOS_FORCEINLINE_FUNCTION Source source(std::size_t j) const {
    Source s;
    static_cast<typename Gravity::Source&>(s) = gravity.source(j);
    for (int k = 0; k < derivatives; ++k) {
      for (int axis = 0; axis < 3; ++axis) {
        s.motion[4 * k + axis] = static_cast<Real>(motion[k](j, axis));
      }
      s.motion[4 * k + 3] = Real(0);
    }
    return s;
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void set(Target<Lanes>& target, int lane, std::size_t i) const {
    std::size_t const row = gravity.row_of(i);
    gravity.load_target(target.position, lane, row);
    for (int k = 0; k < derivatives; ++k) {
      auto const& columns = target_motion[k];
      simd::set_lane<Real>(target.motion[k].x, lane, static_cast<Real>(columns(row, 0)));
      simd::set_lane<Real>(target.motion[k].y, lane, static_cast<Real>(columns(row, 1)));
      simd::set_lane<Real>(target.motion[k].z, lane, static_cast<Real>(columns(row, 2)));
    }
  }
  /// Sets all lanes, to the consecutive rows from `row`. Host only.
  template <class Lanes>
  void load_targets(Target<Lanes>& target, std::size_t row) const {
    using Wide = typename simd::Pack<Stored, simd::lane_count<Real, Lanes>>::type;
    gravity.load_targets(target.position, row);
    for (int k = 0; k < derivatives; ++k) {
      auto const axis = [&](int index) {
        return simd::widened<Real, Stored>(simd::loaded<Wide>(&target_motion[k](row, index)));
      };
      target.motion[k] = {axis(0), axis(1), axis(2)};
    }
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void set_massive(MassiveTarget<Lanes>& target, int lane,
                                               std::size_t i, bool has_mass) const {
    set(target.position, lane, i);
    simd::set_lane<Real>(target.m, lane, has_mass ? static_cast<Real>(gravity.mass(i)) : Real(0));
  }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void add(Sum<Lanes>& sum, Target<Lanes> const& target,
                                       Source const& source) const {
    auto const pair = pair_terms(target, source);
    accelerate(sum, source.m, Real(1), pair);
  }
  /// The self-interaction is 0.
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void add_excluding_self(Sum<Lanes>& sum, Target<Lanes> const& target,
                                                      Source const& source, std::ptrdiff_t) const {
    add(sum, target, source);
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void add_mutual(Sum<Lanes>& sum, Sum<Lanes>& reaction,
                                              MassiveTarget<Lanes> const& target,
                                              Sources<Lanes> const& source) const {
    auto const pair = pair_terms(target.position, source);
    accelerate(sum, source.m, Real(1), pair);
    accelerate(reaction, target.m, Real(-1), pair);
  }
  template <class Lanes, class Function>
  KOKKOS_FORCEINLINE_FUNCTION static void transform(Sum<Lanes>& sum, Function const& function) {
    for (int k = 0; k < rows; ++k) {
      sum.terms[k].x = function(sum.terms[k].x);
      sum.terms[k].y = function(sum.terms[k].y);
      sum.terms[k].z = function(sum.terms[k].z);
    }
  }
  /// Stores the results of all lanes in consecutive rows. Host only.
  template <int lanes>
  void store_all(std::size_t row, Total<lanes> const& total) const {
    using Sums = typename Number::Total;
    auto const& G = gravity.G;
    for (int k = 0; k < rows; ++k) {
      simd::store(&results[k](row, 0), simd::widened<Stored, Sums>(G * total.terms[k].x));
      simd::store(&results[k](row, 1), simd::widened<Stored, Sums>(G * total.terms[k].y));
      simd::store(&results[k](row, 2), simd::widened<Stored, Sums>(G * total.terms[k].z));
    }
  }
  template <bool more = false, int lanes>
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t row, Total<lanes> const& total,
                                         int lane) const {
    for (int k = 0; k < rows; ++k) {
      store_value<more>(results[k](row, 0), scaled(total.terms[k].x, lane));
      store_value<more>(results[k](row, 1), scaled(total.terms[k].y, lane));
      store_value<more>(results[k](row, 2), scaled(total.terms[k].z, lane));
    }
  }

 private:
  /// Interaction of target and source for unit masses: acceleration, jerk and snap over f.
  template <class Lanes>
  struct PairTerms {
    Lanes f;
    Motion<Lanes> terms[rows];
  };

  template <class Lanes, class AnySource>
  KOKKOS_FORCEINLINE_FUNCTION PairTerms<Lanes> pair_terms(Target<Lanes> const& target,
                                                          AnySource const& source) const {
    auto const r = separation(target.position, source, gravity.softening.offset());
    Motion<Lanes> moving[derivatives];
    for (int k = 0; k < derivatives; ++k) {
      moving[k] = {source.motion[4 * k] - target.motion[k].x,
                   source.motion[4 * k + 1] - target.motion[k].y,
                   source.motion[4 * k + 2] - target.motion[k].z};
    }
    auto const rates = forces::rates(gravity.softening, r, moving);
    PairTerms<Lanes> pair;
    pair.f = rates.f;
    pair.terms[0] = {r.x, r.y, r.z};
    pair.terms[1] = moving[0];
    add_to(pair.terms[1], rates.p, pair.terms[0]);
    if constexpr (derivatives == 2) {
      pair.terms[2] = moving[1];
      add_to(pair.terms[2], Real(2) * rates.p, moving[0]);
      add_to(pair.terms[2], rates.q, pair.terms[0]);
    }
    return pair;
  }

  /// `sign` is -1 for the reaction on the source.
  template <class Lanes, class Mass>
  KOKKOS_FORCEINLINE_FUNCTION static void accelerate(Sum<Lanes>& sum, Mass const& m, Real sign,
                                                     PairTerms<Lanes> const& pair) {
    Lanes const f = sign * Softening<Real>::scale_by_mass(m, pair.f);
    for (int k = 0; k < rows; ++k) add_to(sum.terms[k], f, pair.terms[k]);
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION static void add_to(Motion<Lanes>& sum, Lanes const& factor,
                                                 Motion<Lanes> const& vector) {
    sum.x += factor * vector.x;
    sum.y += factor * vector.y;
    sum.z += factor * vector.z;
  }
  template <class Packed>
  KOKKOS_FORCEINLINE_FUNCTION Stored scaled(Packed const& packed, int lane) const {
    return static_cast<Stored>(gravity.G * simd::lane<typename Number::Total>(packed, lane));
  }
};

}  // namespace apsis::forces
