// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "multi_index.hpp"
#include <apsis/core/over_cubed_root.hpp>
#include <apsis/core/unrolled.hpp>

#include <Kokkos_Core.hpp>

/// Cartesian expansions of psi = sum of m / sqrt(r^2 + eps^2), as in Dehnen (2002, J. Comp. Phys.
/// 179, 27, eqs. 3 to 7): moments M_n = sum of m d^n / n! about a cell's centre, fields
/// psi(c + d) = sum of L_n d^n / n! about another's. All terms whose orders add up to `order` at
/// most take part, in both directions alike, so that what two cells do to each other cancels to
/// rounding. `Lanes` is a number, or a pack of numbers of as many expansions.
namespace apsis::forces::fmm {

template <class Lanes, int order>
struct Expansion {
  static constexpr int terms = terms_to(order);
  Lanes term[terms];

  KOKKOS_FORCEINLINE_FUNCTION Lanes& operator[](int place) { return term[place]; }
  KOKKOS_FORCEINLINE_FUNCTION Lanes const& operator[](int place) const { return term[place]; }
};

/// From one place to another, in the units of the expansion.
template <class Lanes>
struct Way {
  Lanes x, y, z;

  template <int axis>
  KOKKOS_FORCEINLINE_FUNCTION Lanes along() const {
    return axis == 0 ? x : axis == 1 ? y : z;
  }
};

/// d^n / n!.
template <int order, class Real, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION Expansion<Lanes, order> monomials(Way<Lanes> const& d) {
  Expansion<Lanes, order> all;
  all[0] = Lanes{} + Real(1);
  unrolled<terms_to(order) - 1>([&]<int k>() {
    constexpr Step step = steps<order>.to[k + 1];
    all[k + 1] = all[step.from] * d.template along<step.axis>() * Real(1.0 / step.power);
  });
  return all;
}

namespace detail {
/// One term of a radial function's derivatives, from those of the next function.
template <class Real, Step step, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION void derive(Lanes* of_this, Lanes const* of_next, int place,
                                        Way<Lanes> const& r) {
  Lanes value = of_next[step.from] * r.template along<step.axis>();
  if constexpr (step.before >= 0) value += of_next[step.before] * Real(step.power - 1);
  of_this[place] = value;
}
}  // namespace detail

/// 1 / sqrt(r^2 + eps^2).
template <class Real, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION Lanes inverse_distance(Way<Lanes> const& r, Real softening_squared) {
  Lanes const square = r.z * r.z + (r.y * r.y + (r.x * r.x + softening_squared));
  return simd::over_cubed_root(Real(1), square) * square;
}

/// Derivatives of 1 / sqrt(r^2 + eps^2) by r, where `inverse` is that number. By the recurrence of
/// McMurchie & Davidson (1978, J. Comp. Phys. 26, 218): a derivative of the k-th radial function
/// is r times one, and a power times another, of the next. C(order + 4, 4) terms. In units of the
/// distance, so that no higher power than inverse^(order + 1) need be a number.
template <int order, class Real, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION Expansion<Lanes, order> derivatives(Way<Lanes> const& r,
                                                                Lanes const& inverse) {
  Way<Lanes> const unit{r.x * inverse, r.y * inverse, r.z * inverse};
  // Those of the k-th radial function go to order - k.
  Lanes of[order + 1][terms_to(order)];
  of[0][0] = Lanes{} + Real(1);
  unrolled<order>([&]<int k>() { of[k + 1][0] = of[k][0] * Real(-(2 * k + 1)); });
  unrolled<terms_to(order) - 1>([&]<int place>() {
    unrolled<order - index_at(place + 1).order() + 1>([&]<int k>() {
      detail::derive<Real, steps<order>.to[place + 1]>(of[k], of[k + 1], place + 1, unit);
    });
  });
  Lanes power[order + 1];
  power[0] = inverse;
  unrolled<order>([&]<int n>() { power[n + 1] = power[n] * inverse; });
  Expansion<Lanes, order> all;
  unrolled<terms_to(order)>(
      [&]<int place>() { all[place] = of[0][place] * power[index_at(place).order()]; });
  return all;
}

/// Sums of products that are made side by side: a host has registers for them, and would wait for
/// one sum at a time; a GPU has other threads to wait with, and fewer registers.
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
inline constexpr int sums_at_once = 1;
#else
inline constexpr int sums_at_once = simd::registers - 4;
#endif

/// to_a += sum of from_(a + b) with_b: of terms of one order at once, which have the same b.
template <int order, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION void contract(Expansion<Lanes, order>& to,
                                          Expansion<Lanes, order> const& from,
                                          Expansion<Lanes, order> const& with) {
  unrolled<order + 1>([&]<int of_a>() {
    constexpr int begin = terms_to(of_a - 1), end = terms_to(of_a);
    unrolled<(end - begin + sums_at_once - 1) / sums_at_once>([&]<int block>() {
      constexpr int first = begin + block * sums_at_once;
      constexpr int count = end - first < sums_at_once ? end - first : sums_at_once;
      Lanes sums[count];
      unrolled<count>([&]<int a>() { sums[a] = to[first + a]; });
      unrolled<terms_to(order - of_a)>([&]<int b>() {
        Lanes const factor = with[b];
        unrolled<count>([&]<int a>() {
          sums[a] += from[place_of(index_at(first + a) + index_at(b))] * factor;
        });
      });
      unrolled<count>([&]<int a>() { to[first + a] = sums[a]; });
    });
  });
}

/// Adds a body that is `d` away from the centre to moments.
template <class Real, int order, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION void add_body(Expansion<Lanes, order>& moments, Way<Lanes> const& d,
                                          Lanes const& m) {
  auto const powers = monomials<order, Real>(d);
  unrolled<terms_to(order)>([&]<int k>() { moments[k] += m * powers[k]; });
}

/// Adds moments whose centre is `d` away: to_(a + b) += powers_a of_b.
template <class Real, int order, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION void add_moments(Expansion<Lanes, order>& moments, Way<Lanes> const& d,
                                             Expansion<Lanes, order> const& of) {
  auto const powers = monomials<order, Real>(d);
  unrolled<order + 1>([&]<int of_sum>() {
    constexpr int first = terms_to(of_sum - 1), count = terms_to(of_sum) - first;
    Lanes sums[count];
    unrolled<count>([&]<int k>() { sums[k] = moments[first + k]; });
    unrolled<terms_to(of_sum)>([&]<int a>() {
      unrolled<count>([&]<int k>() {
        constexpr MultiIndex b = index_at(first + k) - index_at(a);
        if constexpr (b.exists()) sums[k] += powers[a] * of[place_of(b)];
      });
    });
    unrolled<count>([&]<int k>() { moments[first + k] = sums[k]; });
  });
}

/// Adds the field of moments, whose derivatives are those of the way from the field's centre to the
/// moments': to one whose odd terms have the other sign (see turn()). (Moments of the first order
/// are about the centre of mass, but not nothing: the centre is rounded as places are. Without them
/// two galaxies in single, a thousand radii apart, made 2.8e-7 of their momentum.)
template <int order, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION void add_field(Expansion<Lanes, order>& field,
                                           Expansion<Lanes, order> const& d,
                                           Expansion<Lanes, order> const& moments) {
  contract(field, d, moments);
}
/// Turns the sign of odd terms. A way and its opposite have derivatives that differ in that alone.
template <int order, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION void turn(Expansion<Lanes, order>& field) {
  unrolled<terms_to(order)>([&]<int k>() {
    if constexpr (index_at(k).order() % 2 != 0) field[k] = -field[k];
  });
}

/// Adds a field whose centre is -d away: of a cell, to that of a part of it which is `d` from its
/// centre.
template <class Real, int order, class Lanes>
KOKKOS_FORCEINLINE_FUNCTION void add_shifted(Expansion<Lanes, order>& field, Way<Lanes> const& d,
                                             Expansion<Lanes, order> const& of) {
  auto const powers = monomials<order, Real>(d);
  contract(field, of, powers);
}

/// psi and its gradient.
template <class Lanes>
struct FieldAt {
  Lanes psi{}, x{}, y{}, z{};
};

/// Of an expansion, `d` from its centre: of one, or of as many as there are lanes.
template <class Real, int order, class Lanes, class Term>
KOKKOS_FORCEINLINE_FUNCTION FieldAt<Lanes> field_at(Expansion<Term, order> const& field,
                                                    Way<Lanes> const& d) {
  auto const powers = monomials<order, Real>(d);
  FieldAt<Lanes> at;
  unrolled<terms_to(order)>([&]<int k>() { at.psi += powers[k] * field[k]; });
  unrolled<terms_to(order - 1)>([&]<int k>() {
    constexpr MultiIndex n = index_at(k);
    at.x += powers[k] * field[place_of({n.x + 1, n.y, n.z})];
    at.y += powers[k] * field[place_of({n.x, n.y + 1, n.z})];
    at.z += powers[k] * field[place_of({n.x, n.y, n.z + 1})];
  });
  return at;
}

/// Adds that of moments: `d` are the derivatives of the way from the body to their centre.
template <int order, class Lanes, class Moment>
KOKKOS_FORCEINLINE_FUNCTION void add_field_at(FieldAt<Lanes>& at, Expansion<Lanes, order> const& d,
                                              Expansion<Moment, order> const& moments) {
  unrolled<terms_to(order)>([&]<int k>() { at.psi += d[k] * moments[k]; });
  unrolled<terms_to(order - 1)>([&]<int k>() {
    constexpr MultiIndex n = index_at(k);
    at.x -= d[place_of({n.x + 1, n.y, n.z})] * moments[k];
    at.y -= d[place_of({n.x, n.y + 1, n.z})] * moments[k];
    at.z -= d[place_of({n.x, n.y, n.z + 1})] * moments[k];
  });
}

}  // namespace apsis::forces::fmm
