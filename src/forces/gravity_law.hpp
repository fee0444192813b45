// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rows.hpp"
#include <apsis/forces/pair.hpp>
#include <apsis/forces/precision.hpp>
#include <apsis/forces/request.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace apsis::forces {

/// What a sweep finds for each target.
enum class Wanted { acceleration, potential, both };

/// Keeps a value, or adds it to what is there: known to the compiler, so that G times a sum is
/// added in one rounding.
template <bool more, class T>
KOKKOS_FORCEINLINE_FUNCTION void put(T& place, T value) {
  place = more ? place + value : value;
}

/// Gravity as a law of the tile loop. `Number` is the arithmetic. A target is the `listed(i)`-th
/// row if there is a list of them.
template <class Number, template <class> class Softening, Wanted wanted>
struct GravityLaw {
  using Real = typename Number::Real;
  using Stored = typename Number::Stored;
  using Source = std::conditional_t<Number::split, SplitPointMass<Real>, PointMass<Real>>;
  template <class Lanes>
  using Target = std::conditional_t<Number::split, SplitPoint<Lanes>, Point<Lanes>>;

  static constexpr bool accelerates = wanted != Wanted::potential;
  static constexpr bool sees_self = wanted != Wanted::acceleration;

  template <class Lanes>
  struct Sum {
    Lanes x{}, y{}, z{}, depth{};
  };
  /// Depths are added up in double whatever the bodies are in.
  template <int lanes>
  struct Total {
    typename simd::Pack<typename Number::Total, lanes>::type x{}, y{}, z{};
    typename simd::Pack<double, lanes>::type depth{};

    template <class Lanes>
    KOKKOS_FORCEINLINE_FUNCTION void add(Sum<Lanes> const& sum) {
      if constexpr (accelerates) {
        x += simd::widened<typename Number::Total, Real>(sum.x);
        y += simd::widened<typename Number::Total, Real>(sum.y);
        z += simd::widened<typename Number::Total, Real>(sum.z);
      }
      if constexpr (sees_self) depth += simd::widened<double, Real>(sum.depth);
    }
  };

  VectorRows<Stored> position;  ///< of sources
  Rows<Stored> mass;
  VectorRows<Stored> target_position;
  VectorRows<Stored> acceleration;  ///< of each row, unless only the potential is wanted
  Rows<double> potential;           ///< of each row, if it is wanted
  Softening<Real> softening;
  typename Number::Total G;
  std::ptrdiff_t first_self;  ///< the source that the target of row 0 is
  Rows<std::size_t> listed;   ///< nothing: all rows

  KOKKOS_FORCEINLINE_FUNCTION Source source(std::size_t j) const {
    Source s;
    s.m = static_cast<Real>(mass(j));
    set_from(position, s, 0, j);
    if constexpr (Number::split) s.unused = Real(0);
    return s;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t row_of(std::size_t i) const {
    return listed.data == nullptr ? i : listed(i);
  }
  template <class Place>
  KOKKOS_FORCEINLINE_FUNCTION void set(Place& target, int lane, std::size_t i) const {
    set_place(target, lane, row_of(i));
  }
  template <class Place>
  KOKKOS_FORCEINLINE_FUNCTION void set_place(Place& target, int lane, std::size_t row) const {
    set_from(target_position, target, lane, row);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t self(std::size_t i) const {
    return first_self + static_cast<std::ptrdiff_t>(row_of(i));
  }
  KOKKOS_FORCEINLINE_FUNCTION bool scattered() const { return listed.data != nullptr; }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void add(Sum<Lanes>& sum, Target<Lanes> const& target,
                                       Source const& source) const {
    auto const r = separation(target, source, softening.offset());
    Lanes const f = softening.pull(source.m, r);
    if constexpr (accelerates) pull_by(sum, f, r);
    if constexpr (sees_self) sum.depth += softening.depth(source.m, f, r);
  }
  /// A target that also pulls.
  template <class Lanes>
  struct Heavy {
    Target<Lanes> place;
    Lanes m;
  };
  /// One source for each lane.
  template <class Lanes>
  using Sources = std::conditional_t<Number::split, SplitPointMass<Lanes>, PointMass<Lanes>>;

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void set_heavy(Heavy<Lanes>& target, int lane, std::size_t i,
                                             bool pulls) const {
    set_from(position, target.place, lane, i);
    simd::set_lane<Real>(target.m, lane, pulls ? static_cast<Real>(mass(i)) : Real(0));
  }
  /// What the targets get from the sources into `sum`, what the sources get into `back`.
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void add_both(Sum<Lanes>& sum, Sum<Lanes>& back,
                                            Heavy<Lanes> const& target,
                                            Sources<Lanes> const& source) const {
    auto const r = separation(target.place, source, softening.offset());
    auto const f = mutual_pull<Real>(softening, source.m, target.m, r);
    if constexpr (accelerates) {
      pull_by(sum, f.towards, r);
      pull_by(back, -f.back, r);
    }
    if constexpr (sees_self) {
      sum.depth += softening.depth(source.m, f.towards, r);
      back.depth += softening.depth(target.m, f.back, r);
    }
  }
  /// Calls `pass` for each number of a sum that is in use.
  template <class Lanes, class Pass>
  KOKKOS_FORCEINLINE_FUNCTION static void pass_on(Sum<Lanes>& sum, Pass const& pass) {
    if constexpr (accelerates) {
      sum.x = pass(sum.x);
      sum.y = pass(sum.y);
      sum.z = pass(sum.z);
    }
    if constexpr (sees_self) sum.depth = pass(sum.depth);
  }
  /// Left out by number, not by distance and not by subtracting it afterwards: with a small
  /// softening a body's own depth would swamp the sum and take its digits along. By a source that
  /// has no mass for that lane, so that all other lanes round as in add(): which of the two a pair
  /// meets depends on who has which targets.
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void add_but_self(Sum<Lanes>& sum, Target<Lanes> const& target,
                                                Source const& source, std::ptrdiff_t self) const {
    auto const r = separation(target, source, softening.offset());
    Lanes const f = softening.pull(source.m, r);
    if constexpr (accelerates) pull_by(sum, f, r);
    Lanes m = Lanes{} + source.m, pull = f;
    constexpr int lanes = simd::lane_count<Real, Lanes>;
    if (self >= 0 && self < lanes) {
      simd::set_lane<Real>(m, static_cast<int>(self), Real(0));
      simd::set_lane<Real>(pull, static_cast<int>(self), Real(0));
    }
    sum.depth += softening.depth(m, pull, r);
  }
  /// Keeps the total of one lane; with `more` adds it to what the row holds.
  template <bool more = false, int lanes>
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t row, Total<lanes> const& total,
                                         int lane) const {
    using Sums = typename Number::Total;
    if constexpr (accelerates) {
      put<more>(acceleration(row, 0), static_cast<Stored>(G * simd::lane<Sums>(total.x, lane)));
      put<more>(acceleration(row, 1), static_cast<Stored>(G * simd::lane<Sums>(total.y, lane)));
      put<more>(acceleration(row, 2), static_cast<Stored>(G * simd::lane<Sums>(total.z, lane)));
    }
    if constexpr (sees_self) {
      put<more>(potential(row), -static_cast<double>(G) * simd::lane<double>(total.depth, lane));
    }
  }

 private:
  template <class Place>
  KOKKOS_FORCEINLINE_FUNCTION static void set_from(VectorRows<Stored> const& from, Place& place,
                                                   int lane, std::size_t i) {
    set_axis(place.x, lane, from(i, 0));
    set_axis(place.y, lane, from(i, 1));
    set_axis(place.z, lane, from(i, 2));
    if constexpr (Number::split) {
      set_low(place.x_low, lane, from(i, 0));
      set_low(place.y_low, lane, from(i, 1));
      set_low(place.z_low, lane, from(i, 2));
    }
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION static void pull_by(Sum<Lanes>& sum, Lanes f,
                                                  Separation<Lanes> const& r) {
    sum.x += f * r.x;
    sum.y += f * r.y;
    sum.z += f * r.z;
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION static void set_axis(Lanes& axis, int lane, Stored x) {
    simd::set_lane<Real>(axis, lane, static_cast<Real>(x));
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION static void set_low(Lanes& axis, int lane, Stored x) {
    simd::set_lane<Real>(axis, lane,
                         static_cast<Real>(x - static_cast<Stored>(static_cast<Real>(x))));
  }
};

}  // namespace apsis::forces
