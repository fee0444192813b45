// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "build.hpp"
#include "lists.hpp"
#include "target_bodies.hpp"
#include <apsis/core/transpose.hpp>

#include <string>

/// From the whole to the leaves: who is far and who is near, and fields of who is far.
namespace apsis::forces::fmm {

/// Targets of a level. What is found of them stands in rows that begin with the first of them, what
/// was found of their parents in rows that begin with its parent.
///
/// Large cells are few and meet many: `parts` rows are one target's, each for a part of all
/// sources.
struct TargetCells {
  LevelTargets of;
  TargetList list;
  bool at_the_top;  ///< they have no parents, and one list of all for all
  int parts;
  int parent_parts;

  KOKKOS_FORCEINLINE_FUNCTION CellId cell(std::size_t row) const {
    CellId const nth = of.first + static_cast<CellId>(row / static_cast<std::size_t>(parts));
    return list.is_all() ? nth : list.cells(nth);
  }
  KOKKOS_FORCEINLINE_FUNCTION CellId part(std::size_t row) const {
    return static_cast<CellId>(row % static_cast<std::size_t>(parts));
  }
  /// The first of the parent's.
  KOKKOS_FORCEINLINE_FUNCTION std::size_t parent_row(CellId target) const {
    if (at_the_top) return 0;
    CellId const parent = list.is_all() ? target / 2 : list.place(target / 2);
    return static_cast<std::size_t>(parent - of.parent_first) *
           static_cast<std::size_t>(parent_parts);
  }
};

/// Where more are near each other (in one place, say) to sum over all pairs is as fast, and takes
/// no memory. What that is depends on one target alone, so that whoever sweeps over which of them
/// finds the same. (Lists of who is far are long where bodies in the outskirts are seen one by
/// one.)
KOKKOS_INLINE_FUNCTION std::uint32_t most_near(CellId leaves) {
  constexpr CellId least = 4096, most = 32768;
  return leaves / 4 < least ? least : leaves / 4 < most ? leaves / 4 : most;
}
constexpr std::uint32_t most_split = 65536;

/// The lists of a level's targets.
template <class Number, int order, int lanes>
struct LookAround {
  using Group = LaneGroup<lanes>;
  struct Room {
    CellId waiting[most_waiting<Group>];
  };
  Decide<Number, order> decide;
  TargetCells targets;
  std::size_t rows;
  Chains candidates;  ///< of the parents
  Chains far, near, split;

  KOKKOS_FUNCTION void operator()(Group const& group, Room& room, std::size_t j) const {
    CellId const target = targets.cell(j);
    auto const& division = decide.cells.division;
    Part const part{targets.part(j), static_cast<CellId>(targets.parts),
                    division.depth < Part::usual_level ? division.depth : Part::usual_level};
    Candidates<Group> from(group, division, candidates, targets.parent_row(target),
                           static_cast<CellId>(targets.parent_parts), part);
    ChainWriter<Group> to_far(group, far, rows, j, ~std::uint32_t{0});
    ChainWriter<Group> to_near(group, near, rows, j, most_near(division.leaves));
    ChainWriter<Group> to_split(group, split, rows, j, most_split);
    look_around(group, decide, target, part, from, room.waiting,
                [&](Found found, typename Group::Numbers const& sources, LaneMask which) {
                  if (found == Found::far) to_far.push(sources, which);
                  if (found == Found::near) to_near.push(sources, which);
                  if (found == Found::split) to_split.push(sources, which);
                });
    to_far.finish();
    to_near.finish();
    to_split.finish();
  }
};

/// Fields of who is far from cells. Their odd terms have the other sign, see turn().
template <class Number, int order, int lanes>
struct FarFields {
  using Stored = typename Number::Stored;
  using Real = typename Number::Real;
  using Group = LaneGroup<lanes>;
  using Lanes = typename simd::Pack<Real, Group::packed>::type;
  /// Moments come from all over the memory.
  static constexpr int teams_at_once = sizeof(Real) == 4 ? 8 - order : 1;
  /// Who is next is asked for while the present ones are summed, where there are registers left.
  static constexpr bool asks_ahead = sizeof(Real) == 4;
  static constexpr int line = 64 / sizeof(Real);  ///< numbers that memory gives at once
  struct Room {
    CellId sources[lanes];
  };
  Cells<Number> cells;
  TargetCells targets;
  Chains far;
  Real softening_squared;
  Expansions<Real> fields;

  KOKKOS_FORCEINLINE_FUNCTION void prefetch(Group const& group, typename Group::Numbers const& ids,
                                           int count) const {
    for (int k = 0; k < Group::packed && group.lane(k) < count; ++k) {
      CellId const id = group.local_number(ids, k);
      if (Division::is_body(id)) continue;
      simd::prefetch(&cells.place(id, 0));
      auto const* const row = &cells.moments(id, 0);
      for (int number = 0; number < terms_to(order); number += line) simd::prefetch(row + number);
    }
  }

  KOKKOS_FUNCTION void operator()(Group const& group, Room& room, std::size_t j) const {
    auto const* centre = cells.centre(targets.cell(j));
    Expansion<Lanes, order> of_all{};
    ChainReader<Group> reader(group, far, j);
    typename Group::Numbers next{};
    int left = reader.take(next, room.sources);
    while (left > 0) {
      auto const ids = next;
      int const count = left;
      Way<Lanes> r;
      Lanes mass;
      Real const* rows[Group::packed];
      for (int k = 0; k < Group::packed; ++k) {
        CellId const id = group.local_number(ids, k);
        bool const is_body = Division::is_body(id), is_there = group.lane(k) < count;
        std::size_t const i = id & ~one_body;
        Stored at[3];
        for (int axis = 0; axis < 3; ++axis) {
          at[axis] = is_body ? cells.position(i, axis) : cells.place(id, axis);
        }
        auto const way = cells.way(centre, at);
        simd::set_lane<Real>(r.x, k, way.x);
        simd::set_lane<Real>(r.y, k, way.y);
        simd::set_lane<Real>(r.z, k, way.z);
        // A body has a mass alone, who is not there nothing: row 0 is that of no cell.
        simd::set_lane<Real>(mass, k,
                             is_body && is_there ? static_cast<Real>(cells.mass(i)) : Real(0));
        rows[k] = &cells.moments(is_body || !is_there ? 0 : id, 0);
      }
      Expansion<Lanes, order> moments;
      simd::load_rows<moments.terms>(rows, moments.term);
      if constexpr (asks_ahead) {
        left = reader.take(next, room.sources);
        prefetch(group, next, left);
      }
      moments[0] += mass;
      auto const inverse = inverse_distance(r, softening_squared);
      add_field(of_all, derivatives<order, Real>(r, inverse), moments);
      if constexpr (!asks_ahead) left = reader.take(next, room.sources);
    }
    group.template sums<Real>(of_all.term, [&](int k, Real sum) { fields(j, k) = sum; });
  }
};

/// What the parts of a target found, in the first of its rows.
template <class Real>
struct SumParts {
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

/// Fields of all that is outside: what was found far from a cell, and from those that it is in. In
/// the first of a target's rows.
template <class Number, int order>
struct ShiftFields {
  using Real = typename Number::Real;
  Cells<Number> cells;
  TargetCells targets;
  Expansions<Real> parents, fields;

  KOKKOS_FUNCTION void operator()(CellId j) const {
    std::size_t const row = j * static_cast<std::size_t>(targets.parts);
    CellId const target = targets.cell(row);
    Expansion<Real, order> field;
    simd::load_row<field.terms>(&fields(row, 0), field.term);
    turn(field);
    if (!targets.at_the_top) {
      Expansion<Real, order> parent;
      simd::load_row<parent.terms>(&parents(targets.parent_row(target), 0), parent.term);
      add_shifted<Real>(field, cells.way(cells.centre(target / 2), cells.centre(target)), parent);
    }
    simd::store_row<field.terms>(field.term, &fields(row, 0));
  }
};

}  // namespace apsis::forces::fmm
