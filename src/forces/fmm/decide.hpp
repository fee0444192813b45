// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cells.hpp"
#include <apsis/core/lane_group.hpp>
#include <apsis/core/over_cubed_root.hpp>

#include <cmath>
#include <limits>

/// Who is far from whom, by what decides of each.
namespace apsis::forces::fmm {

struct Criterion {
  double theta = 0.95;     ///< the two radii over the distance, at most
  double accuracy = 1e-3;  ///< of what a cell adds to a pull, that may be missing, in parts of it
  double resolve = 1.5;    ///< a leaf so many times as large as a cell comes apart
  double reach = 0.0;      ///< beyond which bodies are points [length]
};

/// What decides of bodies that follow each other, each in a lane. `packed`: lanes of a thread.
template <class Number, int packed>
struct BodyLanes {
  typename simd::Pack<typename Number::Stored, packed>::type x{}, y{}, z{};
  typename simd::Pack<typename Number::Real, packed>::type mass{}, pull{};
  LaneMask valid = 0;  ///< lanes that somebody is in
};

/// What decides of any cells and bodies.
template <class Number, int packed>
struct SourceLanes {
  typename simd::Pack<typename Number::Stored, packed>::type x{}, y{}, z{};
  typename simd::Pack<typename Number::Real, packed>::type radius{}, mass{}, pull{};
  LaneMask bodies = 0, leaves = 0;   ///< the others have halves,
  LaneMask without_second_half = 0;  ///< or one
};

template <class Number, int order>
struct Decide {
  using Stored = typename Number::Stored;
  using Real = typename Number::Real;
  Cells<Number> cells;
  Real theta, accuracy, resolve, reach, nearest;
  bool relative;

  Decide(Cells<Number> const& of, Criterion const& by)
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
    node.halves = Real(0);
    return node;
  }

  template <class Group>
  KOKKOS_FORCEINLINE_FUNCTION BodyLanes<Number, Group::packed> bodies(Group const& group,
                                                                      std::size_t begin,
                                                                      int count) const {
    BodyLanes<Number, Group::packed> of;
    of.valid = first_lanes(count);
    for (int k = 0; k < Group::packed; ++k) {
      int const lane = group.lane(k);
      auto const node =
          seen(one_body |
               static_cast<CellId>(begin + static_cast<std::size_t>(lane < count ? lane : 0)));
      simd::set_lane<Stored>(of.x, k, node.at[0]);
      simd::set_lane<Stored>(of.y, k, node.at[1]);
      simd::set_lane<Stored>(of.z, k, node.at[2]);
      simd::set_lane<Real>(of.mass, k, node.mass);
      simd::set_lane<Real>(of.pull, k, node.pull);
    }
    return of;
  }

  template <class Group>
  KOKKOS_FORCEINLINE_FUNCTION SourceLanes<Number, Group::packed> sources(
      Group const& group, typename Group::Numbers const& ids) const {
    constexpr int packed = Group::packed;
    SourceLanes<Number, packed> of;
    of.bodies = ~group.equal(ids, one_body, 0);
    typename simd::Pack<Real, packed>::type halves{};
    if constexpr (packed > 1 && sizeof(Stored) == sizeof(Real)) {
      // Whole nodes at once: to fill packs number by number takes the host longer.
      Seen body[packed];
      Real const* rows[packed];
      for (int k = 0; k < packed; ++k) {
        CellId const id = group.local_number(ids, k);
        if (Division::is_body(id)) body[k] = seen(id);
        auto const* const node = Division::is_body(id) ? &body[k] : &cells.nodes(id);
        rows[k] = reinterpret_cast<Real const*>(node);
      }
      typename simd::Pack<Real, packed>::type numbers[Seen::numbers];
      simd::load_rows<Seen::numbers>(rows, numbers);
      of.x = numbers[0];
      of.y = numbers[1];
      of.z = numbers[2];
      of.radius = numbers[3];
      of.mass = numbers[4];
      of.pull = numbers[5];
      halves = numbers[6];
    } else {
      for (int k = 0; k < packed; ++k) {
        Seen const node = seen(group.local_number(ids, k));
        simd::set_lane<Stored>(of.x, k, node.at[0]);
        simd::set_lane<Stored>(of.y, k, node.at[1]);
        simd::set_lane<Stored>(of.z, k, node.at[2]);
        simd::set_lane<Real>(of.radius, k, node.radius);
        simd::set_lane<Real>(of.mass, k, node.mass);
        simd::set_lane<Real>(of.pull, k, node.pull);
        simd::set_lane<Real>(halves, k, node.halves);
      }
    }
    of.leaves = group.template mask<Real>(halves == Real(0)) & ~of.bodies;
    of.without_second_half = group.template mask<Real>(halves == Real(1));
    return of;
  }

  template <class Group>
  KOKKOS_FORCEINLINE_FUNCTION LaneMask are_far(Group const& group, Seen const& a,
                                               SourceLanes<Number, Group::packed> const& b) const {
    return are_far(group, simd::widened<Real, Stored>(b.x - a.at[0]),
                   simd::widened<Real, Stored>(b.y - a.at[1]),
                   simd::widened<Real, Stored>(b.z - a.at[2]), b.radius + a.radius, b.mass, b.pull,
                   a);
  }
  template <class Group>
  KOKKOS_FORCEINLINE_FUNCTION LaneMask are_far(Group const& group,
                                               BodyLanes<Number, Group::packed> const& a,
                                               Seen const& b) const {
    return a.valid & are_far(group, simd::widened<Real, Stored>(b.at[0] - a.x),
                             simd::widened<Real, Stored>(b.at[1] - a.y),
                             simd::widened<Real, Stored>(b.at[2] - a.z), b.radius, a.mass, a.pull,
                             b);
  }

  /// Of a cell and sources that are not far from it nor both near, whether it is the cell that
  /// comes apart, not the source.
  template <class Group>
  KOKKOS_FORCEINLINE_FUNCTION LaneMask
  comes_apart(Group const& group, CellId cell, Seen const& a, typename Group::Numbers const& ids,
              SourceLanes<Number, Group::packed> const& b) const {
    if (a.halves == Real(0)) {
      return b.bodies | group.template mask<Real>(a.radius > resolve * b.radius);
    }
    LaneMask const larger =
        group.template mask<Real>(a.radius > b.radius) |
        (group.template mask<Real>(a.radius == b.radius) & group.above(ids, cell));
    LaneMask const than_leaf = ~group.template mask<Real>(b.radius > resolve * a.radius);
    return b.bodies | (b.leaves & than_leaf) | (~b.leaves & larger);
  }

 private:
  /// Of two that are `x, y, z` apart, and as large as `sizes` together.
  template <class Group, class Lanes, class Sizes>
  KOKKOS_FORCEINLINE_FUNCTION LaneMask are_far(Group const& group, Lanes const& x, Lanes const& y,
                                               Lanes const& z, Sizes sizes, Lanes const& mass,
                                               Lanes const& pull, Seen const& b) const {
    auto const square = x * x + (y * y + z * z);
    auto const bound = sizes + reach;
    auto const apart = (bound * bound < theta * theta * square) & (square > nearest * nearest);
    if (!relative) return group.template mask<Real>(apart);
    // (sizes / distance)^order, of what each pulls the other by.
    auto const t_squared = sizes * sizes / square;
    auto power = t_squared;
    for (int k = 3; k < order; k += 2) power *= t_squared;
    if constexpr (order % 2 != 0) {
      power *= sizes * (square * simd::over_cubed_root(Real(1), square));
    }
    auto const allowed = accuracy * square;
    return group.template mask<Real>(apart & (power * b.mass <= allowed * pull) &
                                     (power * mass <= allowed * b.pull));
  }
};

}  // namespace apsis::forces::fmm
