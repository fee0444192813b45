// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "interaction_lists.hpp"
#include "lanes/lane_group.hpp"

/// Candidate sources of a target: those that its parent left unresolved, or a part of them.
namespace apsis::forces::fmm {

/// Part of the candidate sources of a target, given by cells of one level: those with k mod `parts`
/// == `number`, where k is the number of the cell. The part visits these cells, their ancestors and
/// all their descendants. An ancestor is visited by several parts; the part of its first descendant
/// at the level owns it.
struct SourcePart {
  CellId number = 0;
  CellId parts = 1;  ///< a power of two
  int level = 0;

  static constexpr int default_level = 12;

  /// Offset of this part from the part that owns a cell or body, modulo `parts`.
  KOKKOS_FORCEINLINE_FUNCTION CellId parts_after_first(CellTree const& tree, CellId id) const {
    return (number - related_cell(tree, id)) & (parts - 1);
  }
  /// Returns whether this part visits a cell or body.
  KOKKOS_FORCEINLINE_FUNCTION bool visits(CellTree const& tree, CellId id) const {
    CellId const part_offset = parts_after_first(tree, id);
    int const levels_above = CellTree::is_body(id) ? 0 : level - tree.level_of(id);
    return levels_above > 0 ? part_offset >> levels_above == 0 : part_offset == 0;
  }
  /// Returns whether this part owns a cell or body: it alone records its relation to the target.
  KOKKOS_FORCEINLINE_FUNCTION bool owns(CellTree const& tree, CellId id) const {
    return parts_after_first(tree, id) == 0;
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

/// Reads the candidates of one source part of a target from the split lists of its parent, one for
/// each part of the parent's sources. Every part that visits a source has it in its list. If the
/// target has more parts than its parent, several of them read one list and select from it; if it
/// has fewer, each reads several lists.
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
        source_{part.number & (parent_parts - 1), parent_parts, part.level},
        reader_(group, lists, first_list + source_.number) {}

  /// Reads like ListReader::read(), but may leave out entries. Returns false at the end.
  KOKKOS_FORCEINLINE_FUNCTION bool read(CellId* entries, int limit, int& count) {
    int count_read = reader_.read(entries, limit);
    while (count_read == 0) {
      source_.number += part_.parts;
      if (source_.number >= source_.parts) return false;
      reader_ = ListReader<Group>(group_, lists_, first_list_ + source_.number);
      count_read = reader_.read(entries, limit);
    }
    count = count_read;
    if (source_.parts == part_.parts) return true;
    group_.sync();
    auto const ids = group_.load(entries, count_read);
    group_.sync();
    // If several lists are read, an ancestor stands in more than one: the first counts.
    auto const selected = group_.where(ids, [&](CellId id) {
      return source_.parts < part_.parts ? part_.visits(tree_, id)
                                         : source_.parts_after_first(tree_, id) < part_.parts;
    });
    count = group_.pick(ids, selected & first_lanes(count_read), entries);
    return true;
  }

 private:
  Group const& group_;
  CellTree const& tree_;
  InteractionLists const& lists_;
  std::size_t first_list_;
  SourcePart part_, source_;  ///< this part; the part of the parent that wrote the present list
  ListReader<Group> reader_;
};

}  // namespace apsis::forces::fmm
