// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "acceptance.hpp"
#include "interaction_lists.hpp"
#include "lanes/lane_group.hpp"

/// Dual traversal (Dehnen 2002) from the side of each target: classifies a source as well separated
/// (far) or near, splits the target or opens the source. Whether a pair of cells is visited, is
/// accepted, and which of them is divided, depends on the pair alone and not on its order. Both
/// sides therefore find the same pairs without communication, and mutual forces cancel.
///
/// A leaf that is much larger than a source is split into bodies (example: a sparse leaf in the
/// outskirts, and cells of the centre). Otherwise the source would be opened again and again. The
/// small errors of its many parts all have the same direction and would add up.
namespace apsis::forces::fmm {

/// Part of the candidate sources of a target. The cells of one level are distributed over the parts
/// by their number: cell k belongs to part k mod `parts`. A part visits its cells, their ancestors
/// and all their descendants. An ancestor is visited by several parts; it is owned by the part of
/// its first descendant at the level. Example with 4 parts:
///
///     level - 2             16              visited by parts 0 to 3, owned by part 0
///                      +----+----+
///     level - 1        32        33         33: visited by parts 2 and 3, owned by part 2
///                    +-+-+     +-+-+
///     level         64   65   66   67       67 and its descendants: visited and owned by part 3
struct SourcePart {
  CellId number = 0;
  CellId parts = 1;  ///< a power of two
  int level = 0;

  static constexpr int default_level = 12;  ///< in trees of at least this depth

  /// Offset of this part from the part that owns a cell or body, modulo `parts`.
  KOKKOS_FORCEINLINE_FUNCTION CellId parts_after_owner(CellTree const& tree, CellId id) const {
    return (number - related_cell(tree, id)) & (parts - 1);
  }
  /// Returns whether this part visits a cell or body.
  KOKKOS_FORCEINLINE_FUNCTION bool visits(CellTree const& tree, CellId id) const {
    CellId const part_offset = parts_after_owner(tree, id);
    int const levels_above = CellTree::is_body(id) ? 0 : level - tree.level_of(id);
    return levels_above > 0 ? part_offset >> levels_above == 0 : part_offset == 0;
  }
  /// Returns whether this part owns a cell or body: it alone records its relation to the target.
  KOKKOS_FORCEINLINE_FUNCTION bool owns(CellTree const& tree, CellId id) const {
    return parts_after_owner(tree, id) == 0;
  }

 private:
  /// Ancestor of a cell or body at the level, or its first descendant there.
  KOKKOS_FORCEINLINE_FUNCTION CellId related_cell(CellTree const& tree, CellId id) const {
    CellId const cell =
        CellTree::is_body(id)
            ? tree.first_leaf() + static_cast<CellId>((id & ~body_flag) / tree.leaf_capacity)
            : id;
    int const levels_below = tree.level_of(cell) - level;
    return levels_below >= 0 ? cell >> levels_below : cell << -levels_below;
  }
};

/// Reads the candidates of one source part of a target from the split lists of its parent. The
/// parent has one list for each of its own source parts; a source is in the lists of all parts that
/// visit it. If the target has more parts than its parent, several of them read one list and select
/// from it. If it has fewer, each reads several lists.
template <class Group>
class CandidateReader {
 public:
  /// `first_list`: list of the first part of the parent.
  KOKKOS_FORCEINLINE_FUNCTION CandidateReader(Group const& group, CellTree const& tree,
                                              InteractionLists const& lists, std::size_t first_list,
                                              CellId parent_parts, SourcePart const& part)
      : group_(group),
        tree_(tree),
        lists_(lists),
        first_list_(first_list),
        part_(part),
        parent_part_{part.number & (parent_parts - 1), parent_parts, part.level},
        reader_(group, lists, first_list + parent_part_.number) {}

  /// Reads the next `count` entries, at most `limit`. Returns false at the end; a count of 0 is not
  /// the end, because entries of other parts are left out.
  KOKKOS_FORCEINLINE_FUNCTION bool read(CellId* entries, int limit, int& count) {
    int count_read = reader_.read(entries, limit);
    while (count_read == 0) {
      parent_part_.number += part_.parts;
      if (parent_part_.number >= parent_part_.parts) return false;
      reader_ = ListReader<Group>(group_, lists_, first_list_ + parent_part_.number);
      count_read = reader_.read(entries, limit);
    }
    count = count_read;
    if (parent_part_.parts == part_.parts) return true;
    group_.sync();
    auto const ids = group_.load(entries, count_read);
    group_.sync();
    // If several lists are read, an ancestor may be in more than one: only the first one counts.
    auto const selected = group_.where(ids, [&](CellId id) {
      return parent_part_.parts < part_.parts
                 ? part_.visits(tree_, id)
                 : parent_part_.parts_after_owner(tree_, id) < part_.parts;
    });
    count = group_.pick(ids, selected & first_lanes(count_read), entries);
    return true;
  }

 private:
  Group const& group_;
  CellTree const& tree_;
  InteractionLists const& lists_;
  std::size_t first_list_;
  SourcePart part_;
  SourcePart parent_part_;  ///< part of the parent that wrote the present list
  ListReader<Group> reader_;
};

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
