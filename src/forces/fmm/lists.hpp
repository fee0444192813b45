// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cells.hpp"
#include "chains.hpp"
#include <apsis/core/lane_mask.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

/// Who is near and who is far: a dual traversal (Dehnen 2002) from the side of each target. Whether
/// a pair of cells is visited, accepted or split depends on the pair alone, not on its order, so
/// that both sides find the same without telling each other, and what they do to each other
/// cancels. A leaf that is larger than what is beside it comes apart into bodies: otherwise what is
/// far would be split instead, until the small errors of many parts, which all point the same way,
/// add up (a sparse leaf in the outskirts against the middle).
namespace apsis::forces::fmm {

struct Criterion {
  double theta = 0.9;      ///< the two radii over the distance, at most
  double accuracy = 1e-3;  ///< of what a cell adds to a pull, that may be missing, in parts of it
  double resolve = 1.5;    ///< a leaf so many times as large as a cell comes apart
  double reach = 0.0;      ///< beyond which bodies are points [length]
};

/// What decides of bodies that follow each other, each in a lane.
template <class Number, int lanes>
struct BodyLanes {
  typename simd::Pack<typename Number::Stored, lanes>::type x{}, y{}, z{};
  typename simd::Pack<typename Number::Real, lanes>::type mass{}, pull{};
  LaneMask valid = 0;  ///< lanes that somebody is in
};

template <class Number, int order>
struct Decide {
  using Stored = typename Number::Stored;
  using Real = typename Number::Real;
  Cells<Number, order> cells;
  Real theta, accuracy, resolve, reach, nearest;
  bool relative;

  Decide(Cells<Number, order> const& of, Criterion const& by)
      : cells(of),
        theta(static_cast<Real>(by.theta)),
        accuracy(static_cast<Real>(by.accuracy)),
        resolve(static_cast<Real>(by.resolve)),
        reach(static_cast<Real>(by.reach / of.units.length)),
        // Of which the powers in derivatives() are numbers.
        nearest(static_cast<Real>(
            std::pow(static_cast<double>(std::numeric_limits<Real>::max()), -1.0 / (order + 2)))),
        relative(of.body_pull.extent(0) != 0) {}

  using Seen = Node<Number>;
  KOKKOS_FORCEINLINE_FUNCTION Seen seen(CellId id) const {
    if (!Division::is_body(id)) return cells.nodes(id);
    std::size_t const i = id & ~one_body;
    Seen node;
    for (int axis = 0; axis < 3; ++axis) node.at[axis] = cells.position(i, axis);
    node.radius = Real(0);
    node.mass = static_cast<Real>(cells.mass(i));
    node.pull = relative ? cells.body_pull(i) : Real(1);
    return node;
  }

  template <int lanes>
  KOKKOS_FORCEINLINE_FUNCTION BodyLanes<Number, lanes> bodies(std::size_t begin, int count) const {
    BodyLanes<Number, lanes> of;
    of.valid = first_lanes(count);
    for (int lane = 0; lane < lanes; ++lane) {
      auto const node =
          seen(one_body |
               static_cast<CellId>(begin + static_cast<std::size_t>(lane < count ? lane : 0)));
      simd::set_lane<Stored>(of.x, lane, node.at[0]);
      simd::set_lane<Stored>(of.y, lane, node.at[1]);
      simd::set_lane<Stored>(of.z, lane, node.at[2]);
      simd::set_lane<Real>(of.mass, lane, node.mass);
      simd::set_lane<Real>(of.pull, lane, node.pull);
    }
    return of;
  }

  KOKKOS_FORCEINLINE_FUNCTION bool is_far(Seen const& a, Seen const& b) const {
    auto const r = cells.way(a.at, b.at);
    return are_far<1>(r.x, r.y, r.z, a.radius + b.radius, a.mass, a.pull, b) != 0;
  }
  template <int lanes>
  KOKKOS_FORCEINLINE_FUNCTION LaneMask are_far(BodyLanes<Number, lanes> const& a,
                                               Seen const& b) const {
    return a.valid & are_far<lanes>(simd::widened<Real, Stored>(b.at[0] - a.x),
                                    simd::widened<Real, Stored>(b.at[1] - a.y),
                                    simd::widened<Real, Stored>(b.at[2] - a.z), b.radius, a.mass,
                                    a.pull, b);
  }

  /// Of two that are not far from each other nor both near, which comes apart: the target, or the
  /// source.
  KOKKOS_FORCEINLINE_FUNCTION bool splits_target(CellId target, Seen const& a, CellId source,
                                                 Seen const& b) const {
    if (Division::is_body(source)) return true;
    if (cells.division.is_leaf(target)) return a.radius > resolve * b.radius;
    if (cells.division.is_leaf(source)) return !(b.radius > resolve * a.radius);
    return a.radius > b.radius || (a.radius == b.radius && target < source);
  }

 private:
  /// Of two that are `x, y, z` apart, and as large as `sizes` together.
  template <int lanes, class Lanes, class Sizes>
  KOKKOS_FORCEINLINE_FUNCTION LaneMask are_far(Lanes const& x, Lanes const& y, Lanes const& z,
                                               Sizes sizes, Lanes const& mass, Lanes const& pull,
                                               Seen const& b) const {
    auto const square = x * x + (y * y + z * z);
    auto const bound = sizes + reach;
    auto const apart = (bound * bound < theta * theta * square) & (square > nearest * nearest);
    if (!relative) return simd::mask_of<Real, lanes>(apart);
    // (sizes / distance)^order, of what each pulls the other by.
    auto const t_squared = sizes * sizes / square;
    auto power = t_squared;
    static_assert(order % 2 == 0);
    for (int k = 2; k < order; k += 2) power *= t_squared;
    auto const allowed = accuracy * square;
    return simd::mask_of<Real, lanes>(apart & (power * b.mass <= allowed * pull) &
                                      (power * mass <= allowed * b.pull));
  }
};

enum class Found { far, near, split };

/// What one cell finds among the candidates of its parent: `take(found, source)` gets who is far,
/// who is near, and who its own parts look at, in an order that depends on the cells alone.
template <class Number, int order, class Take>
KOKKOS_FORCEINLINE_FUNCTION void look_around(Decide<Number, order> const& decide, CellId target,
                                             Chains const& candidates, std::size_t list,
                                             Take const& take) {
  auto const& division = decide.cells.division;
  auto const a = decide.seen(target);
  bool const at_the_end = division.is_leaf(target);
  ChainReader reader(candidates, list);
  for (std::uint32_t c = candidates.count(list); c > 0; --c) {
    // Of two halves one waits while the other is looked at.
    CellId waiting[40];
    int count = 0;
    waiting[count++] = reader.next();
    while (count > 0) {
      CellId const source = waiting[--count];
      bool const holds_me = source == target / 2;
      if (source == target) {
        take(at_the_end ? Found::near : Found::split, source);
        continue;
      }
      if (!holds_me) {
        auto const b = decide.seen(source);
        bool const source_at_the_end = Division::is_body(source) || division.is_leaf(source);
        bool const both_at_the_end = at_the_end && source_at_the_end;
        // Of a leaf and a body all pairs are met.
        bool const too_small = both_at_the_end && Division::is_body(source);
        if (!too_small && decide.is_far(a, b)) {
          take(Found::far, source);
          continue;
        }
        if (both_at_the_end) {
          take(Found::near, source);
          continue;
        }
        if (decide.splits_target(target, a, source, b)) {
          take(Found::split, source);
          continue;
        }
      }
      if (division.is_leaf(source)) {
        // Into bodies, which are at the end: what each is to this cell is known at once.
        for (std::size_t i = division.begin(source); i < division.end(source); ++i) {
          CellId const one = one_body | static_cast<CellId>(i);
          auto const b = decide.seen(one);
          if (decide.is_far(a, b)) {
            take(Found::far, one);
          } else {
            take(Found::split, one);
          }
        }
        continue;
      }
      if (division.exists(2 * source + 1)) waiting[count++] = 2 * source + 1;
      waiting[count++] = 2 * source;
    }
  }
}

/// What bodies of a leaf find in what was too small for it: `take(found, source, lanes)` gets who
/// is far, and who is near.
template <class Number, int order, int lanes, class Take>
KOKKOS_FORCEINLINE_FUNCTION void look_closer(Decide<Number, order> const& decide,
                                             BodyLanes<Number, lanes> const& a, CellId candidate,
                                             Take const& take) {
  auto const& division = decide.cells.division;
  struct {
    CellId source;
    LaneMask who;
  } waiting[40];
  int count = 0;
  waiting[count++] = {candidate, a.valid};
  while (count > 0) {
    auto const [source, who] = waiting[--count];
    // Of a body and a leaf all pairs are met.
    if (Division::is_body(source) || division.is_leaf(source)) {
      take(Found::near, source, who);
      continue;
    }
    LaneMask const far = who & decide.are_far(a, decide.seen(source));
    if (far != 0) take(Found::far, source, far);
    LaneMask const left = who & ~far;
    if (left == 0) continue;
    if (division.exists(2 * source + 1)) waiting[count++] = {2 * source + 1, left};
    waiting[count++] = {2 * source, left};
  }
}

}  // namespace apsis::forces::fmm
