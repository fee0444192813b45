// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../gravity_law.hpp"
#include "build.hpp"
#include "lists.hpp"
#include "target_bodies.hpp"
#include <apsis/core/transpose.hpp>

#include <string>

/// From the whole to the leaves: who is far and who is near, fields of who is far, and at the end
/// the pairs of who is near.
namespace apsis::forces::fmm {

/// Targets of a level. What is found of them stands in rows that begin with the first of them, what
/// was found of their parents in rows that begin with its parent.
///
/// Large cells are few and meet many: `parts` rows are one target's, each for a part of all
/// sources.
struct TargetCells {
  LevelTargets of;
  TargetList list;
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
    if (target == 1) return 0;
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
  struct Room {
    CellId sources[lanes];
  };
  Cells<Number> cells;
  TargetCells targets;
  Chains far;
  Real softening_squared;
  Expansions<Real> fields;

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
        CellId const id = group.own(ids, k);
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
      if constexpr (asks_ahead) left = reader.take(next, room.sources);
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
    for (int k = 0; k < field.terms; ++k) field[k] = fields(row, k);
    turn(field);
    if (target > 1) {
      std::size_t const above = targets.parent_row(target);
      Expansion<Real, order> parent;
      for (int k = 0; k < parent.terms; ++k) parent[k] = parents(above, k);
      add_shifted<Real>(field, cells.way(cells.centre(target / 2), cells.centre(target)), parent);
    }
    for (int k = 0; k < field.terms; ++k) fields(row, k) = field[k];
  }
};

/// The end: each body gets the field of its leaf, what of its own is far, and all pairs with who is
/// near. As many bodies of a leaf at once as there are lanes.
template <class Law, class Number, int order, int lanes>
struct NearForces {
  using Stored = typename Number::Stored;
  using Real = typename Number::Real;
  using Group = LaneGroup<lanes>;
  using Lanes = typename simd::Pack<Real, Group::packed>::type;
  struct Room {
    typename Law::Source tile[lanes];
    Unseen unseen[most_unseen];
    CellId sources[lanes];
    CellId picked[lanes < 16 ? 16 : lanes];
  };
  Law law;  ///< of bodies along the curve
  Decide<Number, order> decide;
  TargetCells leaves;
  Chains near, split;  ///< of leaves
  Expansions<Real> fields;
  Real softening_squared;
  double G;
  BodyOrder along;        ///< nothing: what is found stands in the order of the leaves,
  std::size_t first_row;  ///< those of the first leaf here
  RowOfBody row_of_body;  ///< or nothing: rows are bodies
  VectorColumns<Stored> acceleration;
  Column<double> potential;

  KOKKOS_FUNCTION void operator()(Group const& group, Room& room, std::size_t block) const {
    auto const& division = decide.cells.division;
    std::size_t const in_leaf = division.leaf / lanes;
    auto const j = static_cast<CellId>(block / in_leaf);
    CellId const leaf = leaves.cell(j);
    Bodies of;
    of.begin = division.begin(leaf) + block % in_leaf * lanes;
    std::size_t const end = division.end(leaf);
    if (of.begin >= end) return;
    of.count = end - of.begin < std::size_t{lanes} ? static_cast<int>(end - of.begin) : lanes;
    of.first_own = of.begin + static_cast<std::size_t>(group.lane(0));
    for (int k = 0; k < Group::packed; ++k) {
      int const lane = group.lane(k);
      law.set_place(of.place, k, of.begin + static_cast<std::size_t>(lane < of.count ? lane : 0));
    }
    Total total{};
    add_near(group, room, of, j, total);
    auto const targets = decide.bodies(group, of.begin, of.count);
    auto far = far_field(leaf, j, targets);
    look_further(group, room, of, j, targets, far, total);
    for (int k = 0; k < Group::packed; ++k) {
      if (group.lane(k) >= of.count) continue;
      auto const lane = static_cast<std::size_t>(group.lane(k));
      std::size_t row = first_row + block * lanes + lane;
      if (along.extent(0) != 0) {
        row = along(of.begin + lane);
        if (row_of_body.extent(0) != 0) row = row_of_body(row);
      }
      if (row != nowhere) finish(row, far, total, k);
    }
  }

 private:
  /// Of a leaf, as many as there are lanes.
  struct Bodies {
    std::size_t begin;
    int count;
    std::size_t first_own;  ///< in the first lane of this thread
    typename Law::template Target<Lanes> place;
  };
  using Sum = typename Law::template Sum<Lanes>;
  using Total = typename Law::template Total<Group::packed>;

  /// By the bodies body(0) ... body(count - 1), no more than lanes.
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION Sum pulled(Group const& group, Room& room, Bodies const& of,
                                         int count, Body const& body) const {
    Sum sum{};
    group.share(
        room.tile, count, [&](int k) { return law.source(body(k)); },
        [&](typename Law::Source const& source, int k) { add_pair(sum, of, source, body(k)); });
    return sum;
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_leaf(Group const& group, Room& room, Bodies const& of,
                                            CellId source, LaneMask who, Total& total) const {
    auto const& division = decide.cells.division;
    std::size_t const end = division.end(source);
    for (std::size_t begin = division.begin(source); begin < end; begin += lanes) {
      int const count = end - begin < std::size_t{lanes} ? static_cast<int>(end - begin) : lanes;
      auto sum = pulled(group, room, of, count,
                        [&](int k) { return begin + static_cast<std::size_t>(k); });
      Law::pass_on(sum, [&](Lanes const& x) { return group.template only<Real>(who, x); });
      total.add(sum);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_near(Group const& group, Room& room, Bodies const& of,
                                            CellId j, Total& total) const {
    ChainReader<Group> reader(group, near, j);
    typename Group::Numbers ids;
    for (int count; (count = reader.take(ids, room.sources)) > 0;) {
      LaneMask const valid = first_lanes(count);
      LaneMask const bodies = valid & ~group.equal(ids, one_body, 0);
      if (bodies != 0) {
        int const picked = group.pick(ids, bodies, room.picked);
        group.sync();
        total.add(pulled(group, room, of, picked, [&](int k) {
          return static_cast<std::size_t>(room.picked[k] & ~one_body);
        }));
      }
      if (LaneMask const cells = valid & ~bodies; cells != 0) {
        group.sync();
        int const picked = group.pick(ids, cells, room.picked);
        group.sync();
        add_leaves(group, room, of, picked, total);
      }
    }
  }
  /// The first `count` that are picked.
  KOKKOS_FORCEINLINE_FUNCTION void add_leaves(Group const& group, Room& room, Bodies const& of,
                                              int count, Total& total) const {
    auto const& division = decide.cells.division;
    constexpr int tiles = leaf_size<Real> / lanes;
    auto const first = [&](int tile) {
      return division.begin(room.picked[tile / tiles]) +
             static_cast<std::size_t>(tile % tiles) * lanes;
    };
    auto const bodies = [&](int tile) {
      std::size_t const begin = first(tile), end = division.end(room.picked[tile / tiles]);
      return end < begin + lanes ? static_cast<int>(end - (begin < end ? begin : end)) : lanes;
    };
    Sum sum{};
    group.share_tiles(
        room.tile, count * tiles, bodies,
        [&](int tile, int k) { return law.source(first(tile) + static_cast<std::size_t>(k)); },
        [&](typename Law::Source const& source, int tile, int k) {
          add_pair(sum, of, source, first(tile) + static_cast<std::size_t>(k));
        },
        [&] {
          total.add(sum);
          sum = Sum{};
        });
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_pair(Sum& sum, Bodies const& of,
                                            typename Law::Source const& source,
                                            std::size_t body) const {
    if constexpr (Law::sees_self) {
      law.add_but_self(
          sum, of.place, source,
          static_cast<std::ptrdiff_t>(body) - static_cast<std::ptrdiff_t>(of.first_own));
    } else {
      law.add(sum, of.place, source);
    }
  }

  /// The field of the leaf at its bodies.
  KOKKOS_FORCEINLINE_FUNCTION FieldAt<Lanes> far_field(
      CellId leaf, CellId j, BodyLanes<Number, Group::packed> const& targets) const {
    Expansion<Real, order> field;
    for (int k = 0; k < field.terms; ++k) field[k] = fields(j, k);
    auto const* centre = decide.cells.centre(leaf);
    return field_at<Real>(field, Way<Lanes>{simd::widened<Real, Stored>(targets.x - centre[0]),
                                            simd::widened<Real, Stored>(targets.y - centre[1]),
                                            simd::widened<Real, Stored>(targets.z - centre[2])});
  }

  /// What was too small for the leaf.
  KOKKOS_FORCEINLINE_FUNCTION void look_further(Group const& group, Room& room, Bodies const& of,
                                                CellId j,
                                                BodyLanes<Number, Group::packed> const& targets,
                                                FieldAt<Lanes>& far, Total& total) const {
    ChainReader<Group> reader(group, split, j);
    typename Group::Numbers ids;
    for (int count; (count = reader.take(ids, room.sources)) > 0;) {
      for (int k = 0; k < count; ++k) {
        look_closer(group, decide, targets, group.at(ids, k), room.unseen,
                    [&](Found found, CellId source, LaneMask who) {
                      if (found == Found::far) return add_far(group, far, targets, source, who);
                      if (!Division::is_body(source)) {
                        return add_leaf(group, room, of, source, who, total);
                      }
                      std::size_t const body = source & ~one_body;
                      total.add(pulled(group, room, of, 1, [&](int) { return body; }));
                    });
      }
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_far(Group const& group, FieldAt<Lanes>& far,
                                           BodyLanes<Number, Group::packed> const& targets,
                                           CellId source, LaneMask who) const {
    auto const& cells = decide.cells;
    auto const* at = cells.centre(source);
    Way<Lanes> const r{simd::widened<Real, Stored>(at[0] - targets.x),
                       simd::widened<Real, Stored>(at[1] - targets.y),
                       simd::widened<Real, Stored>(at[2] - targets.z)};
    // Without a distance there is no field.
    auto const inverse = group.template only<Real>(who, inverse_distance(r, softening_squared));
    Expansion<Real, order> moments;
    for (int k = 0; k < moments.terms; ++k) moments[k] = cells.moments(source, k);
    add_field_at(far, derivatives<order, Real>(r, inverse), moments);
  }

  KOKKOS_FORCEINLINE_FUNCTION void finish(std::size_t row, FieldAt<Lanes> const& far,
                                          Total const& near_total, int lane) const {
    auto const& units = decide.cells.units;
    using Sums = typename Number::Total;
    double const of_potential = G * (units.mass / units.length);
    double const of_acceleration = of_potential / units.length;
    if constexpr (Law::accelerates) {
      auto const put = [&](int axis, Lanes const& of_far, auto const& of_near) {
        double const sum = static_cast<double>(simd::lane<Real>(of_far, lane)) +
                           static_cast<double>(simd::lane<Sums>(of_near, lane));
        acceleration(row, axis) = static_cast<Stored>(of_acceleration * sum);
      };
      put(0, far.x, near_total.x);
      put(1, far.y, near_total.y);
      put(2, far.z, near_total.z);
    }
    if constexpr (Law::sees_self) {
      potential(row) = -of_potential * (static_cast<double>(simd::lane<Real>(far.psi, lane)) +
                                        simd::lane<double>(near_total.depth, lane));
    }
  }
};

}  // namespace apsis::forces::fmm
