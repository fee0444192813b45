// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "chains.hpp"
#include <apsis/core/lane_group.hpp>

/// What a target looks at: what its parent left, or a share of that.
namespace apsis::forces::fmm {

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

}  // namespace apsis::forces::fmm
