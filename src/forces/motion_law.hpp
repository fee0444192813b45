// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gravity_law.hpp"
#include <apsis/forces/request.hpp>

namespace apsis::forces {

/// A source with its velocity and, for the snap, its acceleration.
template <class Place, class Real, int derivatives>
struct alignas(4 * sizeof(Real)) MovingMass : Place {
  Real motion[4 * derivatives];  ///< x, y, z and one unused, of each

  /// From its numbers in their order.
  template <class Column>
  static MovingMass made_of(Column const& column) {
    constexpr int places = sizeof(Place) / sizeof(Real);
    MovingMass made;
    static_cast<Place&>(made) = Place::made_of(column);
    for (int k = 0; k < 4 * derivatives; ++k) made.motion[k] = column(places + k);
    return made;
  }
};

/// Acceleration, jerk (Makino & Aarseth 1992, PASJ 44, 141, equations 1 and 2) and, with two
/// derivatives, snap (Nitadori & Makino 2008, New Astron. 13, 498) as a law of the tile loop.
template <class Number, template <class> class Softening, int derivatives>
struct MotionLaw {
  using Real = typename Number::Real;
  using Stored = typename Number::Stored;
  using Gravity = GravityLaw<Number, Softening, Wanted::acceleration>;
  using Source = MovingMass<typename Gravity::Source, Real, derivatives>;
  template <class Lanes>
  using Sources = MovingMass<typename Gravity::template Sources<Lanes>, Lanes, derivatives>;

  static constexpr bool sees_self = false;
  static constexpr int rows = derivatives + 1;

  template <class Lanes>
  struct Target {
    typename Gravity::template Target<Lanes> place;
    Motion<Lanes> motion[derivatives];
  };
  /// A target that also pulls.
  template <class Lanes>
  struct Heavy {
    Target<Lanes> place;
    Lanes m;
  };
  template <class Lanes>
  struct Sum {
    Motion<Lanes> of[rows]{};
  };
  template <int lanes>
  struct Total {
    using Sums = typename Number::Total;
    Motion<typename simd::Pack<Sums, lanes>::type> of[rows]{};

    template <class Lanes>
    KOKKOS_FORCEINLINE_FUNCTION void add(Sum<Lanes> const& sum) {
      for (int k = 0; k < rows; ++k) {
        of[k].x += simd::widened<Sums, Real>(sum.of[k].x);
        of[k].y += simd::widened<Sums, Real>(sum.of[k].y);
        of[k].z += simd::widened<Sums, Real>(sum.of[k].z);
      }
    }
  };

  Gravity gravity;
  Kokkos::Array<VectorRows<Stored>, derivatives> motion;  ///< velocity and acceleration
  Kokkos::Array<VectorRows<Stored>, derivatives> target_motion;
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
    gravity.set_place(target.place, lane, row);
    for (int k = 0; k < derivatives; ++k) {
      auto const& from = target_motion[k];
      simd::set_lane<Real>(target.motion[k].x, lane, static_cast<Real>(from(row, 0)));
      simd::set_lane<Real>(target.motion[k].y, lane, static_cast<Real>(from(row, 1)));
      simd::set_lane<Real>(target.motion[k].z, lane, static_cast<Real>(from(row, 2)));
    }
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void set_heavy(Heavy<Lanes>& target, int lane, std::size_t i,
                                             bool pulls) const {
    set(target.place, lane, i);
    simd::set_lane<Real>(target.m, lane, pulls ? static_cast<Real>(gravity.mass(i)) : Real(0));
  }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void add(Sum<Lanes>& sum, Target<Lanes> const& target,
                                       Source const& source) const {
    auto const met = meeting(target, source);
    pull_by(sum, source.m, Real(1), met);
  }
  /// A body's own part is 0.
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void add_but_self(Sum<Lanes>& sum, Target<Lanes> const& target,
                                                Source const& source, std::ptrdiff_t) const {
    add(sum, target, source);
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void add_both(Sum<Lanes>& sum, Sum<Lanes>& back,
                                            Heavy<Lanes> const& target,
                                            Sources<Lanes> const& source) const {
    auto const met = meeting(target.place, source);
    pull_by(sum, source.m, Real(1), met);
    pull_by(back, target.m, Real(-1), met);
  }
  template <class Lanes, class Pass>
  KOKKOS_FORCEINLINE_FUNCTION static void pass_on(Sum<Lanes>& sum, Pass const& pass) {
    for (int k = 0; k < rows; ++k) {
      sum.of[k].x = pass(sum.of[k].x);
      sum.of[k].y = pass(sum.of[k].y);
      sum.of[k].z = pass(sum.of[k].z);
    }
  }
  template <bool more = false, int lanes>
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t row, Total<lanes> const& total,
                                         int lane) const {
    for (int k = 0; k < rows; ++k) {
      put<more>(results[k](row, 0), scaled(total.of[k].x, lane));
      put<more>(results[k](row, 1), scaled(total.of[k].y, lane));
      put<more>(results[k](row, 2), scaled(total.of[k].z, lane));
    }
  }

 private:
  /// What target and source do to each other for unit masses: acceleration, jerk and snap over f.
  template <class Lanes>
  struct Meeting {
    Lanes f;
    Motion<Lanes> of[rows];
  };

  template <class Lanes, class AnySource>
  KOKKOS_FORCEINLINE_FUNCTION Meeting<Lanes> meeting(Target<Lanes> const& target,
                                                     AnySource const& source) const {
    auto const r = separation(target.place, source, gravity.softening.offset());
    Motion<Lanes> moving[derivatives];
    for (int k = 0; k < derivatives; ++k) {
      moving[k] = {source.motion[4 * k] - target.motion[k].x,
                   source.motion[4 * k + 1] - target.motion[k].y,
                   source.motion[4 * k + 2] - target.motion[k].z};
    }
    auto const rates = forces::rates(gravity.softening, r, moving);
    Meeting<Lanes> met;
    met.f = rates.f;
    met.of[0] = {r.x, r.y, r.z};
    met.of[1] = moving[0];
    add_to(met.of[1], rates.p, met.of[0]);
    if constexpr (derivatives == 2) {
      met.of[2] = moving[1];
      add_to(met.of[2], Real(2) * rates.p, moving[0]);
      add_to(met.of[2], rates.q, met.of[0]);
    }
    return met;
  }

  /// `sign` turns the meeting around: towards the other body is then away from it.
  template <class Lanes, class Mass>
  KOKKOS_FORCEINLINE_FUNCTION static void pull_by(Sum<Lanes>& sum, Mass const& m, Real sign,
                                                  Meeting<Lanes> const& met) {
    Lanes const f = sign * Softening<Real>::times(m, met.f);
    for (int k = 0; k < rows; ++k) add_to(sum.of[k], f, met.of[k]);
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
