// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../gravity_law.hpp"
#include "lots.hpp"
#include "passes.hpp"

#include <algorithm>

namespace apsis::forces::fmm {

/// The end: each body gets the field of its leaf, what of its own is far, and all pairs with who is
/// near. A tile of a leaf's bodies has a body in each lane.
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

  KOKKOS_FUNCTION void operator()(Group const& group, Room& room, std::size_t j) const {
    auto const& division = decide.cells.division;
    CellId const leaf = leaves.cell(j);
    Leaf of;
    of.begin = division.begin(leaf);
    of.count = static_cast<int>(division.end(leaf) - of.begin);
    of.first_own = of.begin + static_cast<std::size_t>(group.lane(0));
    for (int tile = 0; tile < tiles; ++tile) {
      for (int k = 0; k < Group::packed; ++k) {
        int const body = tile * lanes + group.lane(k);
        law.set_place(of.place[tile], k,
                      of.begin + static_cast<std::size_t>(body < of.count ? body : 0));
      }
    }
    Total total[tiles]{};
    add_near(group, room, of, j, total);
    for (int tile = 0; tile < tiles && tile * lanes < of.count; ++tile) {
      int const first = tile * lanes;
      int const count = of.count - first < lanes ? of.count - first : lanes;
      auto const targets = decide.bodies(group, of.begin + static_cast<std::size_t>(first), count);
      auto far = far_field(leaf, j, targets);
      look_further(group, room, of, tile, j, targets, far, total[tile]);
      for (int k = 0; k < Group::packed; ++k) {
        if (group.lane(k) >= count) continue;
        auto const body = static_cast<std::size_t>(first + group.lane(k));
        std::size_t row = first_row + j * leaf_size<Real> + body;
        if (along.extent(0) != 0) {
          row = along(of.begin + body);
          if (row_of_body.extent(0) != 0) row = row_of_body(row);
        }
        if (row != nowhere) finish(row, far, total[tile], k);
      }
    }
  }

 private:
  static constexpr int tiles = leaf_size<Real> / lanes;
  /// That meet a source at once: as many as there are registers for sums and places of.
  static constexpr int tiles_at_once = std::min(tiles, simd::registers / 8);
  /// The bodies of a leaf.
  struct Leaf {
    std::size_t begin;
    int count;
    std::size_t first_own;  ///< in the first lane of this thread
    typename Law::template Target<Lanes> place[tiles];
  };
  using Sum = typename Law::template Sum<Lanes>;
  using Total = typename Law::template Total<Group::packed>;

  /// One tile by the bodies body(0) ... body(count - 1), no more than lanes.
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION Sum pulled(Group const& group, Room& room, Leaf const& of, int tile,
                                         int count, Body const& body) const {
    Sum sum{};
    group.share(
        room.tile, count, [&](int k) { return law.source(body(k)); },
        [&](typename Law::Source const& source, int k) {
          add_pair(sum, of, tile, source, body(k));
        });
    return sum;
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_leaf(Group const& group, Room& room, Leaf const& of,
                                            int tile, CellId source, LaneMask who,
                                            Total& total) const {
    auto const& division = decide.cells.division;
    std::size_t const end = division.end(source);
    for (std::size_t begin = division.begin(source); begin < end; begin += lanes) {
      int const count = end - begin < std::size_t{lanes} ? static_cast<int>(end - begin) : lanes;
      auto sum = pulled(group, room, of, tile, count,
                        [&](int k) { return begin + static_cast<std::size_t>(k); });
      Law::pass_on(sum, [&](Lanes const& x) { return group.template only<Real>(who, x); });
      total.add(sum);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_near(Group const& group, Room& room, Leaf const& of,
                                            std::size_t j, Total (&total)[tiles]) const {
    ChainReader<Group> reader(group, near, j);
    typename Group::Numbers ids;
    for (int count; (count = reader.take(ids, room.sources)) > 0;) {
      LaneMask const valid = first_lanes(count);
      LaneMask const bodies = valid & ~group.equal(ids, one_body, 0);
      if (bodies != 0) {
        int const picked = group.pick(ids, bodies, room.picked);
        group.sync();
        for (int tile = 0; tile < tiles; ++tile) {
          total[tile].add(pulled(group, room, of, tile, picked, [&](int k) {
            return static_cast<std::size_t>(room.picked[k] & ~one_body);
          }));
        }
      }
      if (LaneMask const cells = valid & ~bodies; cells != 0) {
        group.sync();
        int const picked = group.pick(ids, cells, room.picked);
        group.sync();
        add_leaves(group, room, of, picked, total);
      }
    }
  }
  /// The first `count` that are picked, to all of a leaf at once.
  KOKKOS_FORCEINLINE_FUNCTION void add_leaves(Group const& group, Room& room, Leaf const& of,
                                              int count, Total (&total)[tiles]) const {
    auto const& division = decide.cells.division;
    auto const first = [&](int part) {
      return division.begin(room.picked[part / tiles]) +
             static_cast<std::size_t>(part % tiles) * lanes;
    };
    auto const bodies = [&](int part) {
      std::size_t const begin = first(part), end = division.end(room.picked[part / tiles]);
      return end < begin + lanes ? static_cast<int>(end - (begin < end ? begin : end)) : lanes;
    };
    unrolled<tiles / tiles_at_once>([&]<int block>() {
      Sum sum[tiles_at_once]{};
      group.share_tiles(
          room.tile, count * tiles, bodies,
          [&](int part, int k) { return law.source(first(part) + static_cast<std::size_t>(k)); },
          [&](typename Law::Source const& source, int part, int k) {
            unrolled<tiles_at_once>([&]<int tile>() {
              add_pair(sum[tile], of, block * tiles_at_once + tile, source,
                       first(part) + static_cast<std::size_t>(k));
            });
          },
          [&] {
            unrolled<tiles_at_once>([&]<int tile>() {
              total[block * tiles_at_once + tile].add(sum[tile]);
              sum[tile] = Sum{};
            });
          });
    });
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_pair(Sum& sum, Leaf const& of, int tile,
                                            typename Law::Source const& source,
                                            std::size_t body) const {
    if constexpr (Law::sees_self) {
      std::size_t const own = of.first_own + static_cast<std::size_t>(tile * lanes);
      law.add_but_self(sum, of.place[tile], source,
                       static_cast<std::ptrdiff_t>(body) - static_cast<std::ptrdiff_t>(own));
    } else {
      law.add(sum, of.place[tile], source);
    }
  }

  /// The field of the leaf at its bodies.
  KOKKOS_FORCEINLINE_FUNCTION FieldAt<Lanes> far_field(
      CellId leaf, std::size_t j, BodyLanes<Number, Group::packed> const& targets) const {
    Expansion<Real, order> field;
    for (int k = 0; k < field.terms; ++k) field[k] = fields(j, k);
    auto const* centre = decide.cells.centre(leaf);
    return field_at<Real>(field, Way<Lanes>{simd::widened<Real, Stored>(targets.x - centre[0]),
                                            simd::widened<Real, Stored>(targets.y - centre[1]),
                                            simd::widened<Real, Stored>(targets.z - centre[2])});
  }

  /// What was too small for the leaf.
  KOKKOS_FORCEINLINE_FUNCTION void look_further(Group const& group, Room& room, Leaf const& of,
                                                int tile, std::size_t j,
                                                BodyLanes<Number, Group::packed> const& targets,
                                                FieldAt<Lanes>& far, Total& total) const {
    ChainReader<Group> reader(group, split, j);
    typename Group::Numbers ids;
    for (int count; (count = reader.take(ids, room.sources)) > 0;) {
      for (int k = 0; k < count; ++k) {
        look_closer(group, decide, targets, group.number_in_lane(ids, k), room.unseen,
                    [&](Found found, CellId source, LaneMask who) {
                      if (found == Found::far) return add_far(group, far, targets, source, who);
                      if (!Division::is_body(source)) {
                        return add_leaf(group, room, of, tile, source, who, total);
                      }
                      std::size_t const body = source & ~one_body;
                      total.add(pulled(group, room, of, tile, 1, [&](int) { return body; }));
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
