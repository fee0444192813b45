// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cells.hpp"
#include "chains.hpp"
#include "lots.hpp"
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

/// What decides of any cells and bodies.
template <class Number, int lanes>
struct SourceLanes {
  typename simd::Pack<typename Number::Stored, lanes>::type x{}, y{}, z{};
  typename simd::Pack<typename Number::Real, lanes>::type radius{}, mass{}, pull{};
  LaneMask bodies = 0, leaves = 0;   ///< the others have halves,
  LaneMask without_second_half = 0;  ///< or one
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
    node.halves = 0;
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

  template <int lanes>
  KOKKOS_FORCEINLINE_FUNCTION SourceLanes<Number, lanes> sources(CellId const* ids,
                                                                 int count) const {
    // Numbers first, then packs of them: that costs the host less than filling packs.
    Stored x[lanes], y[lanes], z[lanes];
    Real radius[lanes], mass[lanes], pull[lanes];
    std::uint32_t halves[lanes];
    SourceLanes<Number, lanes> of;
    for (int lane = 0; lane < lanes; ++lane) {
      CellId const id = ids[lane < count ? lane : 0];
      auto const put = [&](Seen const& node) {
        x[lane] = node.at[0];
        y[lane] = node.at[1];
        z[lane] = node.at[2];
        radius[lane] = node.radius;
        mass[lane] = node.mass;
        pull[lane] = node.pull;
        halves[lane] = node.halves;
      };
      if (Division::is_body(id)) {
        put(seen(id));
      } else {
        put(cells.nodes(id));
      }
    }
    of.bodies = ~simd::lanes_equal<lanes>(ids, one_body, 0);
    of.leaves = simd::lanes_equal<lanes>(halves, ~std::uint32_t{0}, 0) & ~of.bodies;
    of.without_second_half = simd::lanes_equal<lanes>(halves, ~std::uint32_t{0}, 1);
    simd::fill(of.x, x);
    simd::fill(of.y, y);
    simd::fill(of.z, z);
    simd::fill(of.radius, radius);
    simd::fill(of.mass, mass);
    simd::fill(of.pull, pull);
    return of;
  }

  template <int lanes>
  KOKKOS_FORCEINLINE_FUNCTION LaneMask are_far(Seen const& a,
                                               SourceLanes<Number, lanes> const& b) const {
    return are_far<lanes>(
        simd::widened<Real, Stored>(b.x - a.at[0]), simd::widened<Real, Stored>(b.y - a.at[1]),
        simd::widened<Real, Stored>(b.z - a.at[2]), b.radius + a.radius, b.mass, b.pull, a);
  }
  template <int lanes>
  KOKKOS_FORCEINLINE_FUNCTION LaneMask are_far(BodyLanes<Number, lanes> const& a,
                                               Seen const& b) const {
    return a.valid & are_far<lanes>(simd::widened<Real, Stored>(b.at[0] - a.x),
                                    simd::widened<Real, Stored>(b.at[1] - a.y),
                                    simd::widened<Real, Stored>(b.at[2] - a.z), b.radius, a.mass,
                                    a.pull, b);
  }

  /// Of a cell and sources that are not far from it nor both near, whether it is the cell that
  /// comes apart, not the source.
  template <int lanes>
  KOKKOS_FORCEINLINE_FUNCTION LaneMask comes_apart(CellId cell, Seen const& a, CellId const* ids,
                                                   SourceLanes<Number, lanes> const& b) const {
    if (a.halves == 0) return b.bodies | simd::mask_of<Real, lanes>(a.radius > resolve * b.radius);
    LaneMask larger = simd::mask_of<Real, lanes>(a.radius > b.radius);
    for (LaneMask equal = simd::mask_of<Real, lanes>(a.radius == b.radius); equal != 0;
         equal &= equal - 1) {
      int const lane = Kokkos::countr_zero(equal);
      if (cell < ids[lane]) larger |= LaneMask{1} << lane;
    }
    LaneMask const than_leaf = ~simd::mask_of<Real, lanes>(b.radius > resolve * a.radius);
    return b.bodies | (b.leaves & than_leaf) | (~b.leaves & larger);
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

/// What one cell finds among the candidates of its parent, `lanes` sources at a time:
/// `take(found, sources, lanes)` gets who is far, who is near, and who its own parts look at, of 16
/// sources in a row, in an order that depends on the cells alone.
template <int lanes, class Number, int order, class Take>
KOKKOS_FORCEINLINE_FUNCTION void look_around(Decide<Number, order> const& decide, CellId target,
                                             Chains const& candidates, std::size_t list,
                                             Take const& take) {
  auto const& division = decide.cells.division;
  auto const a = decide.seen(target);
  bool const at_the_end = a.halves == 0;
  ChainReader reader(candidates, list);
  std::uint32_t unread = candidates.count(list);
  // The first that are opened wait while their parts are looked at: less than `lanes` of a level,
  // and the bodies of leaves. (16 can be read from anywhere.)
  CellId waiting[lanes * (2 * 32 + leaf_size<typename Number::Real>)+16];
  int count = 0;
  while (true) {
    for (; count < lanes && unread > 0; --unread) waiting[count++] = reader.next();
    if (count == 0) return;
    int const looked_at = count < lanes ? count : lanes;
    count -= looked_at;
    CellId ids[lanes < 16 ? 16 : lanes];
    for (int lane = 0; lane < lanes; ++lane) ids[lane] = waiting[count + lane];
    auto const b = decide.template sources<lanes>(ids, looked_at);
    LaneMask const valid = first_lanes(looked_at);
    LaneMask const self = valid & simd::lanes_equal<lanes>(ids, ~CellId{0}, target);
    LaneMask const inside = valid & simd::lanes_equal<lanes>(ids, ~CellId{0}, target / 2);
    LaneMask const others = valid & ~self & ~inside;
    // Of a leaf and a body all pairs are met.
    LaneMask const too_small = at_the_end ? b.bodies : 0;
    LaneMask const far = others & ~too_small & decide.are_far(a, b);
    LaneMask const left = others & ~far;
    LaneMask const near = at_the_end ? left & (b.bodies | b.leaves) : 0;
    LaneMask const apart = left & ~near & decide.comes_apart(target, a, ids, b);
    LaneMask const open = (left & ~near & ~apart) | inside;
    take(Found::far, ids, far);
    take(Found::near, ids, at_the_end ? near | self : 0);
    take(Found::split, ids, at_the_end ? apart : apart | self);
    CellId halves[lanes < 16 ? 16 : lanes];
    LaneMask const cells_opened = open & ~b.leaves;
    for (int lane = 0; lane < lanes; ++lane) halves[lane] = 2 * ids[lane] + 1;
    count += pick(halves, cells_opened & ~b.without_second_half, waiting + count);
    for (int lane = 0; lane < lanes; ++lane) --halves[lane];
    count += pick(halves, cells_opened, waiting + count);
    for (LaneMask leaves = open & b.leaves; leaves != 0; leaves &= leaves - 1) {
      CellId const leaf = ids[Kokkos::countr_zero(leaves)];
      for (std::size_t i = division.begin(leaf); i < division.end(leaf); ++i) {
        waiting[count++] = one_body | static_cast<CellId>(i);
      }
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
