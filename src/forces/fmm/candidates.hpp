// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "interaction_lists.hpp"
#include <apsis/core/lane_group.hpp>

/// Candidate sources of a target: those that its parent left unresolved, or a part of them.
namespace apsis::forces::fmm {

/// A part of the candidate sources of a target: every `parts`-th cell of one level with its
/// descendants, and its ancestors.
struct SourcePart {
  CellId number = 0;
  CellId parts = 1;  ///< a power of two
  int level = 0;

  static constexpr int default_level = 12;

  /// Number of parts by which this part follows the first one that visits a cell or body, or one of
  /// its descendants.
  KOKKOS_FORCEINLINE_FUNCTION CellId parts_after_first(CellTree const& tree, CellId id) const {
    return (number - related_cell(tree, id)) & (parts - 1);
  }
  /// Returns whether this part visits a cell or body.
  KOKKOS_FORCEINLINE_FUNCTION bool visits(CellTree const& tree, CellId id) const {
    CellId const part_offset = parts_after_first(tree, id);
    int const levels_above = CellTree::is_body(id) ? 0 : level - tree.level_of(id);
    return levels_above > 0 ? part_offset >> levels_above == 0 : part_offset == 0;
  }
  /// Returns whether this part records the relation of a cell or body.
  KOKKOS_FORCEINLINE_FUNCTION bool owns(CellTree const& tree, CellId id) const {
    return parts_after_first(tree, id) == 0;
  }

 private:
  /// First cell of the level that is a descendant or an ancestor.
  KOKKOS_FORCEINLINE_FUNCTION CellId related_cell(CellTree const& tree, CellId id) const {
    CellId const cell =
        CellTree::is_body(id)
            ? tree.first_leaf() + static_cast<CellId>((id & ~body_flag) / tree.leaf_capacity)
            : id;
    int const levels_below = tree.level_of(cell) - level;
    return levels_below >= 0 ? cell >> levels_below : cell << -levels_below;
  }
};

/// Reads the candidates of one source part of a target from the split lists of the parts of its
/// parent. Every part that visits a source has it in its list. The numbers of parts are powers of
/// two.
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
    // If parts are merged, all but the first repeat the shared ancestors.
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
  SourcePart part_, source_;  ///< the part that wrote the list
  ListReader<Group> reader_;
};

}  // namespace apsis::forces::fmm
