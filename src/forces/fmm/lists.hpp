// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cells.hpp"
#include "chains.hpp"
#include "lots.hpp"
#include <apsis/core/lane_group.hpp>
#include <apsis/core/over_cubed_root.hpp>

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
    node.halves = 0;
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
    // Numbers first, then packs of them: that costs the host less than filling packs.
    constexpr int packed = Group::packed;
    Stored x[packed], y[packed], z[packed];
    Real radius[packed], mass[packed], pull[packed];
    std::uint32_t halves[packed];
    for (int k = 0; k < packed; ++k) {
      CellId const id = group.own(ids, k);
      auto const put = [&](Seen const& node) {
        x[k] = node.at[0];
        y[k] = node.at[1];
        z[k] = node.at[2];
        radius[k] = node.radius;
        mass[k] = node.mass;
        pull[k] = node.pull;
        halves[k] = node.halves;
      };
      if (Division::is_body(id)) {
        put(seen(id));
      } else {
        put(cells.nodes(id));
      }
    }
    SourceLanes<Number, packed> of;
    auto const of_halves = group.own_numbers(halves);
    of.bodies = ~group.equal(ids, one_body, 0);
    of.leaves = group.equal(of_halves, ~std::uint32_t{0}, 0) & ~of.bodies;
    of.without_second_half = group.equal(of_halves, ~std::uint32_t{0}, 1);
    simd::fill(of.x, x);
    simd::fill(of.y, y);
    simd::fill(of.z, z);
    simd::fill(of.radius, radius);
    simd::fill(of.mass, mass);
    simd::fill(of.pull, pull);
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
    if (a.halves == 0) {
      return b.bodies | group.template mask<Real>(a.radius > resolve * b.radius);
    }
    LaneMask const larger = group.template mask<Real>(a.radius > b.radius) |
                            (group.template mask<Real>(a.radius == b.radius) &
                             group.where(ids, [&](CellId id) { return id > cell; }));
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

enum class Found { far, near, split };

/// Of sources that were looked at, those whose parts are looked at next.
struct Opened {
  LaneMask cells, leaves;
  LaneMask without_second_half;  ///< of cells
};

/// One cell and `count` sources, each in a lane.
template <class Group, class Number, int order, class Take>
KOKKOS_FORCEINLINE_FUNCTION Opened look_at(Group const& group, Decide<Number, order> const& decide,
                                           CellId target, Node<Number> const& a,
                                           typename Group::Numbers const& ids, int count,
                                           Take const& take) {
  bool const at_the_end = a.halves == 0;
  auto const b = decide.sources(group, ids);
  LaneMask const valid = first_lanes(count);
  LaneMask const self = valid & group.equal(ids, ~CellId{0}, target);
  LaneMask const inside = valid & group.equal(ids, ~CellId{0}, target / 2);
  LaneMask const others = valid & ~self & ~inside;
  // Of a leaf and a body all pairs are met.
  LaneMask const too_small = at_the_end ? b.bodies : 0;
  LaneMask const far = others & ~too_small & decide.are_far(group, a, b);
  LaneMask const left = others & ~far;
  LaneMask const near = at_the_end ? left & (b.bodies | b.leaves) : 0;
  LaneMask const apart = left & ~near & decide.comes_apart(group, target, a, ids, b);
  LaneMask const open = (left & ~near & ~apart) | inside;
  take(Found::far, ids, far);
  take(Found::near, ids, at_the_end ? near | self : 0);
  take(Found::split, ids, at_the_end ? apart : apart | self);
  return {open & ~b.leaves, open & b.leaves, b.without_second_half};
}

/// For the cells that wait while parts of others are looked at: of each level those of a group, and
/// their halves. (16 can be read from anywhere.)
template <class Group>
inline constexpr int most_waiting = 2 * 28 * Group::width + 16;

/// A share of what a cell looks at: every `parts`-th of the cells of one level with all that is in
/// them, and what they are in.
struct Part {
  CellId number = 0;
  CellId parts = 1;  ///< a power of two
  int level = 0;

  static constexpr int usual_level = 12;

  /// How many parts further on the first is that looks at a cell or body or at something inside it.
  KOKKOS_FORCEINLINE_FUNCTION CellId behind_first(Division const& division, CellId id) const {
    return (number - first_in(division, id)) & (parts - 1);
  }
  /// Whether it is one of these.
  KOKKOS_FORCEINLINE_FUNCTION bool reaches(Division const& division, CellId id) const {
    CellId const behind = behind_first(division, id);
    int const above = Division::is_body(id) ? 0 : level - division.level_of(id);
    return above > 0 ? behind >> above == 0 : behind == 0;
  }
  /// Whether what is found of a cell or body is for this one to say.
  KOKKOS_FORCEINLINE_FUNCTION bool owns(Division const& division, CellId id) const {
    return behind_first(division, id) == 0;
  }

 private:
  /// The first cell of the level that is in it, or that it is in.
  KOKKOS_FORCEINLINE_FUNCTION CellId first_in(Division const& division, CellId id) const {
    CellId const cell =
        Division::is_body(id)
            ? division.first_leaf() + static_cast<CellId>((id & ~one_body) / division.leaf)
            : id;
    int const below = division.level_of(cell) - level;
    return below >= 0 ? cell >> below : cell << -below;
  }
};

/// What the parts of a parent left for a part of a cell, where all that look at a source have it in
/// their lists. The parts of both are powers of two.
template <class Group>
class Candidates {
 public:
  /// `lists`: of the first of `parent_parts`.
  KOKKOS_FORCEINLINE_FUNCTION Candidates(Group const& group, Division const& division,
                                         Chains const& chains, std::size_t lists,
                                         CellId parent_parts, Part const& part)
      : group_(group),
        division_(division),
        chains_(chains),
        lists_(lists),
        part_(part),
        from_{part.number & (parent_parts - 1), parent_parts, part.level},
        reader_(group, chains, lists + from_.number) {}

  /// As ChainReader::take, but fewer may have been left out; nothing at the end.
  KOKKOS_FORCEINLINE_FUNCTION bool take(CellId* to, int most, int& count) {
    int taken = reader_.take(to, most);
    while (taken == 0) {
      from_.number += part_.parts;
      if (from_.number >= from_.parts) return false;
      reader_ = ChainReader<Group>(group_, chains_, lists_ + from_.number);
      taken = reader_.take(to, most);
    }
    count = taken;
    if (from_.parts == part_.parts) return true;
    group_.sync();
    auto const ids = group_.load(to, taken);
    group_.sync();
    // Of parts that become one all but the first have what they share again.
    auto const kept = group_.where(ids, [&](CellId id) {
      return from_.parts < part_.parts ? part_.reaches(division_, id)
                                       : from_.behind_first(division_, id) < part_.parts;
    });
    count = group_.pick(ids, kept & first_lanes(taken), to);
    return true;
  }

 private:
  Group const& group_;
  Division const& division_;
  Chains const& chains_;
  std::size_t lists_;
  Part part_, from_;  ///< the latter: that left the list which is read
  ChainReader<Group> reader_;
};

/// What one cell finds among the candidates of its parent, as many sources at a time as there are
/// lanes: `take(found, sources, lanes)` gets who is far, who is near, and who its own parts look
/// at, in an order that depends on the cells alone. Needs room for most_waiting cells.
template <class Group, class Number, int order, class Take>
KOKKOS_FORCEINLINE_FUNCTION void look_around(Group const& group,
                                             Decide<Number, order> const& decide, CellId target,
                                             Part const& part, Candidates<Group>& candidates,
                                             CellId* waiting, Take const& take) {
  constexpr int width = Group::width;
  auto const& division = decide.cells.division;
  auto const a = decide.seen(target);
  bool const whole = part.parts == 1;
  auto const reached = [&](CellId id) { return part.reaches(division, id); };
  // All that look at a source keep it for the cell's own parts, but one alone says what is found.
  auto const take_own = [&](Found found, typename Group::Numbers const& ids, LaneMask lanes) {
    if (!whole && found != Found::split && lanes != 0) {
      lanes &= group.where(ids, [&](CellId id) { return part.owns(division, id); });
    }
    take(found, ids, lanes);
  };
  int count = 0;
  while (true) {
    for (int taken = 0; count < width; count += taken) {
      if (!candidates.take(waiting + count, width - count, taken)) break;
    }
    if (count == 0) return;
    group.sync();
    int const looked_at = count < width ? count : width;
    count -= looked_at;
    auto const ids = group.load(waiting + count, looked_at);
    group.sync();
    auto const opened = look_at(group, decide, target, a, ids, looked_at, take_own);
    auto const add_half = [&](CellId which, LaneMask of) {
      auto const halves = group.changed(ids, [&](CellId id) { return 2 * id + which; });
      if (!whole) of &= group.where(halves, reached);
      count += group.pick(halves, of, waiting + count);
    };
    add_half(1, opened.cells & ~opened.without_second_half);
    add_half(0, opened.cells);
    LaneMask leaves = opened.leaves;
    if (!whole) leaves &= group.where(ids, reached);
    for (; leaves != 0; leaves &= leaves - 1) {
      CellId const leaf = group.at(ids, Kokkos::countr_zero(leaves));
      std::size_t const end = division.end(leaf);
      for (std::size_t begin = division.begin(leaf); begin < end; begin += width) {
        int const bodies = end - begin < width ? static_cast<int>(end - begin) : width;
        auto const of_leaf = group.numbers([&](int lane) {
          return one_body |
                 static_cast<CellId>(begin + static_cast<std::size_t>(lane < bodies ? lane : 0));
        });
        look_at(group, decide, target, a, of_leaf, bodies, take_own);
      }
    }
  }
}

/// A cell that some bodies of a leaf have yet to look at.
struct Unseen {
  CellId source;
  LaneMask who;
};
constexpr int most_unseen = 40;

/// What bodies of a leaf find in what was too small for it: `take(found, source, lanes)` gets who
/// is far, and who is near. Needs room for most_unseen cells.
template <class Group, class Number, int order, class Take>
KOKKOS_FORCEINLINE_FUNCTION void look_closer(Group const& group,
                                             Decide<Number, order> const& decide,
                                             BodyLanes<Number, Group::packed> const& a,
                                             CellId candidate, Unseen* unseen, Take const& take) {
  auto const& division = decide.cells.division;
  int count = 0;
  auto const wait = [&](CellId source, LaneMask who) {
    if (group.leads()) unseen[count] = {source, who};
    ++count;
  };
  wait(candidate, a.valid);
  while (count > 0) {
    group.sync();
    auto const [source, who] = unseen[--count];
    group.sync();
    // Of a body and a leaf all pairs are met.
    if (Division::is_body(source) || division.is_leaf(source)) {
      take(Found::near, source, who);
      continue;
    }
    LaneMask const far = who & decide.are_far(group, a, decide.seen(source));
    if (far != 0) take(Found::far, source, far);
    LaneMask const left = who & ~far;
    if (left == 0) continue;
    if (division.exists(2 * source + 1)) wait(2 * source + 1, left);
    wait(2 * source, left);
  }
}

}  // namespace apsis::forces::fmm
