// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "acceptance.hpp"
#include "candidates.hpp"

/// Dual traversal (Dehnen 2002) from the side of each target: classifies a source as well separated
/// (far) or near, splits the target or opens the source. Whether a pair of cells is visited, is
/// accepted, and which of them is divided, depends on the pair alone and not on its order. Both
/// sides therefore find the same pairs without communication, and mutual forces cancel.
///
/// A leaf that is much larger than a source is split into bodies (example: a sparse leaf in the
/// outskirts, and cells of the centre). Otherwise the source would be opened again and again. The
/// small errors of its many parts all have the same direction and would add up.
namespace apsis::forces::fmm {

/// Relation of a source to a target; `split`: the target is split.
enum class Relation { far, near, split };

/// Lanes of sources that are opened: replaced by their children or bodies.
struct OpenedSources {
  LaneMask cells;         ///< cells above the leaves
  LaneMask leaves;        ///< leaves
  LaneMask single_child;  ///< cells that have one child only, opened or not
};

/// Classifies the sources `ids`, one in each of the first `count` lanes, for one target cell with
/// the node `a`. Calls record(relation, ids, lanes) for each relation; returns the sources that are
/// opened.
template <class Group, class Number, class Record>
KOKKOS_FORCEINLINE_FUNCTION OpenedSources classify(Group const& group,
                                                   AcceptanceCriterion<Number> const& criterion,
                                                   CellId target, Node<Number> const& a,
                                                   typename Group::Numbers const& ids, int count,
                                                   Record const& record) {
  bool const is_target_leaf = criterion.cells.tree.is_leaf(target);
  auto const b = criterion.load_sources(group, ids);
  LaneMask const valid = first_lanes(count);
  LaneMask const self = valid & group.equal(ids, ~CellId{0}, target);
  // The split list of the parent contains the parent itself, which is opened into the target and
  // its sibling.
  LaneMask const parent_lanes = valid & group.equal(ids, ~CellId{0}, target / 2);
  LaneMask const others = valid & ~self & ~parent_lanes;
  // A target leaf and a source body always interact by P2P.
  LaneMask const body_lanes = is_target_leaf ? b.bodies : 0;
  LaneMask const far = others & ~body_lanes & criterion.are_well_separated(group, a, b);
  LaneMask const unresolved = others & ~far;
  LaneMask const near = is_target_leaf ? unresolved & (b.bodies | b.leaves) : 0;
  LaneMask const split =
      unresolved & ~near & criterion.needs_target_split(group, target, a, ids, b);
  LaneMask const opened = (unresolved & ~near & ~split) | parent_lanes;
  record(Relation::far, ids, far);
  record(Relation::near, ids, is_target_leaf ? near | self : 0);
  record(Relation::split, ids, is_target_leaf ? split : split | self);
  return {opened & ~b.leaves, opened & b.leaves, b.single_child};
}

/// Size of the stack of sources that are not classified yet. Each step takes one group of sources
/// from the top and pushes at most two children for each of them, which are one level further down;
/// there are fewer than 28 levels. (group.load() and group.pick() may access 16 entries.)
template <class Group>
inline constexpr int max_waiting = 2 * 28 * Group::width + 16;

/// Traverses the candidates of a target, one source per lane at a time. `record(relation, sources,
/// lanes)` receives the far sources, the near ones, and those for which the target is split, in an
/// order that depends on the cells alone. `waiting` is a stack of max_waiting cells.
template <class Group, class Number, class Record>
KOKKOS_FORCEINLINE_FUNCTION void traverse(Group const& group,
                                          AcceptanceCriterion<Number> const& criterion,
                                          CellId target, SourcePart const& part,
                                          CandidateReader<Group>& candidates, CellId* waiting,
                                          Record const& record) {
  constexpr int width = Group::width;
  auto const& tree = criterion.cells.tree;
  auto const a = criterion.node(target);
  bool const has_all_parts = part.parts == 1;
  auto const is_visited = [&](CellId id) { return part.visits(tree, id); };
  // Each source part that visits a source enters it in its split list, but only the part that owns
  // it records that it is far or near.
  auto const record_owned = [&](Relation relation, typename Group::Numbers const& ids,
                                LaneMask lanes) {
    if (!has_all_parts && relation != Relation::split && lanes != 0) {
      lanes &= group.where(ids, [&](CellId id) { return part.owns(tree, id); });
    }
    record(relation, ids, lanes);
  };
  int waiting_count = 0;
  while (true) {
    for (int count_read = 0; waiting_count < width; waiting_count += count_read) {
      if (!candidates.read(waiting + waiting_count, width - waiting_count, count_read)) break;
    }
    if (waiting_count == 0) return;
    group.sync();
    int const count = waiting_count < width ? waiting_count : width;
    waiting_count -= count;
    auto const ids = group.load(waiting + waiting_count, count);
    group.sync();
    auto const opened = classify(group, criterion, target, a, ids, count, record_owned);
    auto const push_child = [&](CellId child_index, LaneMask opened_lanes) {
      auto const children = group.changed(ids, [&](CellId id) { return 2 * id + child_index; });
      if (!has_all_parts) opened_lanes &= group.where(children, is_visited);
      waiting_count += group.pick(children, opened_lanes, waiting + waiting_count);
    };
    push_child(1, opened.cells & ~opened.single_child);
    push_child(0, opened.cells);
    LaneMask leaves = opened.leaves;
    if (!has_all_parts) leaves &= group.where(ids, is_visited);
    for (; leaves != 0; leaves &= leaves - 1) {
      CellId const leaf = group.number_in_lane(ids, Kokkos::countr_zero(leaves));
      std::size_t const end = tree.end(leaf);
      for (std::size_t begin = tree.begin(leaf); begin < end; begin += width) {
        int const body_count = end - begin < width ? static_cast<int>(end - begin) : width;
        auto const bodies = group.numbers([&](int lane) {
          return body_flag | static_cast<CellId>(
                                 begin + static_cast<std::size_t>(lane < body_count ? lane : 0));
        });
        classify(group, criterion, target, a, bodies, body_count, record_owned);
      }
    }
  }
}

/// A source that some bodies of a target leaf have not classified yet.
struct PendingCell {
  CellId source;
  LaneMask unresolved_lanes;
};
/// Size of the stack of pending cells: at most one sibling for each level, of which there are fewer
/// than 28.
constexpr int max_pending = 40;

/// Classifies a source of the split list for each body of a target leaf. `record(relation, source,
/// lanes)` receives the bodies for which a cell is far, or for which a leaf or body is near.
/// `pending` is a stack of max_pending cells.
template <class Group, class Number, class Record>
KOKKOS_FORCEINLINE_FUNCTION void traverse_for_bodies(Group const& group,
                                                     AcceptanceCriterion<Number> const& criterion,
                                                     BodyLanes<Number, Group::packed> const& a,
                                                     CellId candidate, PendingCell* pending,
                                                     Record const& record) {
  auto const& tree = criterion.cells.tree;
  int count = 0;
  auto const push = [&](CellId source, LaneMask lanes) {
    if (group.leads()) pending[count] = {source, lanes};
    ++count;
  };
  push(candidate, a.valid);
  while (count > 0) {
    group.sync();
    auto const [source, lanes] = pending[--count];
    group.sync();
    // Target bodies and a source leaf or body always interact by P2P.
    if (CellTree::is_body(source) || tree.is_leaf(source)) {
      record(Relation::near, source, lanes);
      continue;
    }
    LaneMask const far = lanes & criterion.are_well_separated(group, a, criterion.node(source));
    if (far != 0) record(Relation::far, source, far);
    LaneMask const unresolved = lanes & ~far;
    if (unresolved == 0) continue;
    if (tree.exists(2 * source + 1)) push(2 * source + 1, unresolved);
    push(2 * source, unresolved);
  }
}

}  // namespace apsis::forces::fmm
