// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "candidates.hpp"
#include "decide.hpp"

/// Who is near and who is far: a dual traversal (Dehnen 2002) from the side of each target. Whether
/// a pair of cells is visited, accepted or split depends on the pair alone, not on its order, so
/// that both sides find the same without telling each other, and what they do to each other
/// cancels. A leaf that is larger than what is beside it comes apart into bodies: otherwise what is
/// far would be split instead, until the small errors of many parts, which all point the same way,
/// add up (a sparse leaf in the outskirts against the middle).
namespace apsis::forces::fmm {

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
  bool const at_the_end = decide.cells.division.is_leaf(target);
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
      CellId const leaf = group.number_in_lane(ids, Kokkos::countr_zero(leaves));
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
