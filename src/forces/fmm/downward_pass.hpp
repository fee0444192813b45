// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forces/fmm/tree/target_cells.hpp"
#include "operators.hpp"
#include "traversal.hpp"

#include <string>

/// Downward pass, from the top level to the leaves: interaction lists and local expansions (M2L,
/// L2L).
namespace apsis::forces::fmm {

/// Target cells of one level, and the rows of their lists and local expansions. Each target has
/// `parts` consecutive rows, one for each source part, because large cells are few and have many
/// sources. Row 0 is that of the first target; rows of parents begin with the first parent.
struct TargetCells {
  LevelTargets level;
  TargetList list;
  bool is_top;       ///< no parents: all targets read one list, of all cells of the level
  int parts;         ///< source parts of each target
  int parent_parts;  ///< source parts of each parent

  /// Returns the target of a row.
  KOKKOS_FORCEINLINE_FUNCTION CellId cell(std::size_t row) const {
    CellId const index = level.first + static_cast<CellId>(row / static_cast<std::size_t>(parts));
    return list.is_all() ? index : list.cells(index);
  }
  /// Returns the number of the source part of a row.
  KOKKOS_FORCEINLINE_FUNCTION CellId part(std::size_t row) const {
    return static_cast<CellId>(row % static_cast<std::size_t>(parts));
  }
  /// First row of the parent of a target.
  KOKKOS_FORCEINLINE_FUNCTION std::size_t parent_row(CellId target) const {
    if (is_top) return 0;
    CellId const parent = list.is_all() ? target / 2 : list.index(target / 2);
    return static_cast<std::size_t>(parent - level.parent_first) *
           static_cast<std::size_t>(parent_parts);
  }
};

/// Limit on the length of a near list. With more near sources (coincident bodies, for example) sums
/// over all pairs are as fast and need no lists. The limit applies to each list separately, so that
/// the outcome does not depend on the leaves that a rank sweeps. Far lists have no limit: they may
/// be long, because bodies in the outskirts can be far sources one by one.
KOKKOS_INLINE_FUNCTION std::uint32_t max_near(CellId leaves) {
  constexpr CellId lowest = 4096, highest = 32768;
  return leaves / 4 < lowest ? lowest : leaves / 4 < highest ? leaves / 4 : highest;
}
/// Limit on the length of a split list.
constexpr std::uint32_t max_split = 65536;

/// Builds the far, near and split lists of the targets of a level by a dual traversal.
template <class Number, int lanes>
struct BuildLists {
  using Group = LaneGroup<lanes>;
  struct Scratch {
    CellId waiting[max_waiting<Group>];
  };
  AcceptanceCriterion<Number> criterion;
  TargetCells targets;
  std::size_t rows;
  InteractionLists candidates;  ///< split lists of the parents; top level: all its cells
  InteractionLists far, near, split;

  KOKKOS_FUNCTION void operator()(Group const& group, Scratch& scratch, std::size_t j) const {
    CellId const target = targets.cell(j);
    auto const& tree = criterion.cells.tree;
    SourcePart const part{
        targets.part(j), static_cast<CellId>(targets.parts),
        tree.depth < SourcePart::default_level ? tree.depth : SourcePart::default_level};
    CandidateReader<Group> reader(group, tree, candidates, targets.parent_row(target),
                                  static_cast<CellId>(targets.parent_parts), part);
    ListWriter<Group> far_writer(group, far, rows, j, ~std::uint32_t{0});
    ListWriter<Group> near_writer(group, near, rows, j, max_near(tree.leaves));
    ListWriter<Group> split_writer(group, split, rows, j, max_split);
    traverse(group, criterion, target, part, reader, scratch.waiting,
             [&](Relation relation, typename Group::Numbers const& sources, LaneMask mask) {
               if (relation == Relation::far) far_writer.push(sources, mask);
               if (relation == Relation::near) near_writer.push(sources, mask);
               if (relation == Relation::split) split_writer.push(sources, mask);
             });
    far_writer.finish();
    near_writer.finish();
    split_writer.finish();
  }
};

/// M2L: local expansions of targets from the moments of the cells of their far lists. A body of a
/// far list counts as a cell with a mass only (P2L). The odd terms have the wrong sign until
/// ShiftFields.
template <class Number, class Operators, int lanes>
struct FarFields {
  using Stored = typename Number::Stored;
  using Real = typename Number::Real;
  using Group = LaneGroup<lanes>;
  using Lanes = typename simd::Pack<Real, Group::packed>::type;
  static constexpr int teams_at_once = Operators::m2l_teams;
  /// Prefetches the next sources while the present ones are summed, if there are registers left.
  static constexpr bool prefetches = sizeof(Real) == 4;
  static constexpr int numbers_per_line = 64 / sizeof(Real);  ///< of a cache line
  struct Scratch {
    CellId sources[lanes];
  };
  Operators operators;
  Cells<Number> cells;
  TargetCells targets;
  InteractionLists far;
  Real softening_squared;
  Expansions<Real> fields;

  KOKKOS_FORCEINLINE_FUNCTION void prefetch(Group const& group, typename Group::Numbers const& ids,
                                            int count) const {
    for (int k = 0; k < Group::packed && group.lane(k) < count; ++k) {
      CellId const id = group.local_number(ids, k);
      if (CellTree::is_body(id)) continue;
      simd::prefetch(&cells.sphere(id, 0));
      auto const* const row = &cells.moments(id, 0);
      for (int number = 0; number < operators.terms; number += numbers_per_line)
        simd::prefetch(row + number);
    }
  }

  KOKKOS_FUNCTION void operator()(Group const& group, Scratch& scratch, std::size_t j) const {
    auto const* centre = cells.centre(targets.cell(j));
    typename Operators::template Sums<Lanes> local;
    operators.clear(local);
    ListReader<Group> reader(group, far, j);
    typename Group::Numbers next{};
    int next_count = reader.read(next, scratch.sources);
    while (next_count > 0) {
      auto const ids = next;
      int const count = next_count;
      Displacement<Lanes> r;
      Lanes mass;
      Real const* rows[Group::packed];
      for (int k = 0; k < Group::packed; ++k) {
        CellId const id = group.local_number(ids, k);
        bool const is_body = CellTree::is_body(id), is_used = group.lane(k) < count;
        std::size_t const i = id & ~body_flag;
        Stored position[3];
        for (int axis = 0; axis < 3; ++axis) {
          position[axis] = is_body ? cells.position(i, axis) : cells.sphere(id, axis);
        }
        auto const d = cells.displacement(centre, position);
        simd::set_lane<Real>(r.x, k, d.x);
        simd::set_lane<Real>(r.y, k, d.y);
        simd::set_lane<Real>(r.z, k, d.z);
        // A body has no other moment than its mass, an unused lane none: both read row 0, zeros.
        simd::set_lane<Real>(mass, k,
                             is_body && is_used ? static_cast<Real>(cells.mass(i)) : Real(0));
        rows[k] = &cells.moments(is_body || !is_used ? 0 : id, 0);
      }
      operators.m2l(local, r, mass, rows, softening_squared, [&] {
        if constexpr (prefetches) {
          next_count = reader.read(next, scratch.sources);
          prefetch(group, next, next_count);
        }
      });
      if constexpr (!prefetches) next_count = reader.read(next, scratch.sources);
    }
    operators.store(group, local, &fields(j, 0));
  }
};

/// Adds the local expansions of all source parts of a target, in the first of its rows.
template <class Real>
struct SumPartialFields {
  TargetCells targets;
  Expansions<Real> fields;

  KOKKOS_FUNCTION void operator()(CellId j) const {
    auto const columns = static_cast<CellId>(fields.extent(1));
    auto const parts = static_cast<std::size_t>(targets.parts), row = j / columns * parts;
    CellId const k = j % columns;
    Real sum = fields(row, k);
    for (std::size_t part = 1; part < parts; ++part) sum += fields(row + part, k);
    fields(row, k) = sum;
  }
};

/// L2L: adds the local expansion of the parent, shifted to the centre of the target. The result, in
/// the first row of the target, is the complete far field: of its own far list and those of all
/// ancestors.
template <class Number, class Operators>
struct ShiftFields {
  using Real = typename Number::Real;
  Operators operators;
  Cells<Number> cells;
  TargetCells targets;
  Expansions<Real> parents, fields;

  KOKKOS_FUNCTION void operator()(CellId j) const {
    std::size_t const row = j * static_cast<std::size_t>(targets.parts);
    CellId const target = targets.cell(row);
    Real const* parent_row = nullptr;
    Displacement<Real> d{};
    if (!targets.is_top) {
      parent_row = &parents(targets.parent_row(target), 0);
      d = cells.displacement(cells.centre(target / 2), cells.centre(target));
    }
    operators.l2l(&fields(row, 0), parent_row, d);
  }
};

}  // namespace apsis::forces::fmm
