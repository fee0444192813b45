// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "interaction_lists.hpp"
#include "lanes/lane_group.hpp"

/// Candidate sources of a target: the split list of its parent, or a part of it.
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

}  // namespace apsis::forces::fmm
