// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cells.hpp"
#include "chains.hpp"

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

  KOKKOS_FORCEINLINE_FUNCTION bool is_far(Seen const& a, Seen const& b) const {
    auto const r = cells.way(a.at, b.at);
    Real const square = r.x * r.x + (r.y * r.y + r.z * r.z);
    Real const sizes = a.radius + b.radius;
    Real const bound = sizes + reach;
    if (!(bound * bound < theta * theta * square) || !(square > nearest * nearest)) return false;
    if (!relative) return true;
    // (sizes / distance)^order, of what each pulls the other by.
    Real const t_squared = sizes * sizes / square;
    Real power = order % 2 == 0 ? Real(1) : Kokkos::sqrt(t_squared);
    for (int k = 1; k < order; k += 2) power *= t_squared;
    Real const allowed = accuracy * square;
    return power * b.mass <= allowed * a.pull && power * a.mass <= allowed * b.pull;
  }

  /// Of two that are not far from each other nor both near, which comes apart: the target, or the
  /// source.
  KOKKOS_FORCEINLINE_FUNCTION bool splits_target(CellId target, Seen const& a, CellId source,
                                                 Seen const& b) const {
    if (Division::is_body(target)) return false;
    if (Division::is_body(source)) return true;
    if (cells.division.is_leaf(target)) return a.radius > resolve * b.radius;
    if (cells.division.is_leaf(source)) return !(b.radius > resolve * a.radius);
    return a.radius > b.radius || (a.radius == b.radius && target < source);
  }
};

enum class Found { far, near, split };

/// What one target finds among the candidates of its parent: `take(found, source)` gets who is far,
/// who is near, and who its own parts look at, in an order that depends on the cells alone.
template <class Number, int order, class Take>
KOKKOS_FORCEINLINE_FUNCTION void look_around(Decide<Number, order> const& decide, CellId target,
                                             Chains const& candidates, std::size_t list,
                                             Take const& take) {
  auto const& division = decide.cells.division;
  auto const a = decide.seen(target);
  bool const body = Division::is_body(target);
  bool const at_the_end = body || division.is_leaf(target);
  CellId const parent = body ? 0 : target / 2;
  ChainReader reader(candidates, list);
  for (std::uint32_t c = candidates.count(list); c > 0; --c) {
    // Of two halves one waits while the other is looked at.
    CellId waiting[40];
    int count = 0;
    waiting[count++] = reader.next();
    while (count > 0) {
      CellId const source = waiting[--count];
      bool const holds_me = source == parent;
      if (source == target) {
        take(at_the_end ? Found::near : Found::split, source);
        continue;
      }
      if (!holds_me) {
        auto const b = decide.seen(source);
        bool const source_at_the_end = Division::is_body(source) || division.is_leaf(source);
        bool const both_at_the_end = at_the_end && source_at_the_end;
        // Of a leaf and a body all pairs are met.
        bool const too_small = both_at_the_end && (body || Division::is_body(source));
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

}  // namespace apsis::forces::fmm
