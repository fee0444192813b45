// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "downward_pass.hpp"
#include "forces/gravity_law.hpp"
#include "tuning.hpp"

#include <algorithm>

namespace apsis::forces::fmm {

/// Complete forces on the bodies of a leaf: from its local expansion (L2P), its near sources (P2P),
/// and the sources of its split list, classified for each body (M2P or P2P). Stores the results. A
/// leaf has one tile of bodies on a GPU, several on a host.
template <class Law, class Number, class Operators, int lanes>
struct LeafForces {
  using Stored = typename Number::Stored;
  using Real = typename Number::Real;
  using Group = LaneGroup<lanes>;
  using Lanes = typename simd::Pack<Real, Group::packed>::type;
  struct Scratch {
    typename Law::Source tile[lanes];
    PendingCell pending[max_pending];
    CellId sources[lanes];
    CellId picked[lanes < 16 ? 16 : lanes];  ///< sources of one kind
  };
  Law law;  ///< of the sorted bodies
  Operators operators;
  AcceptanceCriterion<Number> criterion;
  TargetCells leaves;
  InteractionLists near, split;  ///< of leaves
  Expansions<Real> fields;
  Real softening_squared;
  double G;
  ResultRows rows;
  VectorColumns<Stored> acceleration;
  Column<double> potential;

  KOKKOS_FUNCTION void operator()(Group const& group, Scratch& scratch, std::size_t j) const {
    auto const& tree = criterion.cells.tree;
    CellId const leaf = leaves.cell(j);
    Leaf leaf_bodies;
    leaf_bodies.begin = tree.begin(leaf);
    leaf_bodies.count = static_cast<int>(tree.end(leaf) - leaf_bodies.begin);
    leaf_bodies.first_lane_body = leaf_bodies.begin + static_cast<std::size_t>(group.lane(0));
    for (int tile = 0; tile < tiles; ++tile) {
      for (int k = 0; k < Group::packed; ++k) {
        int const body = tile * lanes + group.lane(k);
        law.load_target(
            leaf_bodies.position[tile], k,
            leaf_bodies.begin + static_cast<std::size_t>(body < leaf_bodies.count ? body : 0));
      }
    }
    Total total[tiles]{};
    add_near(group, scratch, leaf_bodies, j, total);
    for (int tile = 0; tile < tiles && tile * lanes < leaf_bodies.count; ++tile) {
      int const first = tile * lanes;
      int const count = leaf_bodies.count - first < lanes ? leaf_bodies.count - first : lanes;
      auto const targets =
          criterion.load_bodies(group, leaf_bodies.begin + static_cast<std::size_t>(first), count);
      auto far = far_field(leaf, j, targets);
      add_split_sources(group, scratch, leaf_bodies, tile, j, targets, far, total[tile]);
      for (int k = 0; k < Group::packed; ++k) {
        if (group.lane(k) >= count) continue;
        auto const body = static_cast<std::size_t>(first + group.lane(k));
        std::size_t const row = rows.row(j * leaf_size<Real> + body, leaf_bodies.begin + body);
        if (row != no_row) store(row, far, total[tile], k);
      }
    }
  }

 private:
  static constexpr int tiles = leaf_size<Real> / lanes;
  /// Target tiles that interact with a source together, limited by the registers for sums and
  /// positions. Divides `tiles`.
  static constexpr int tiles_at_once = std::min(tiles, simd::registers / 8);
  /// The target bodies of a leaf.
  struct Leaf {
    std::size_t begin;
    int count;
    std::size_t first_lane_body;  ///< body in the first lane of this thread, in tile 0
    typename Law::template Target<Lanes> position[tiles];
  };
  using Sum = typename Law::template Sum<Lanes>;
  using Total = typename Law::template Total<Group::packed>;

  /// P2P: the sum over the sources body(0) ... body(count - 1), at most `lanes`, for one tile.
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION Sum sum_sources(Group const& group, Scratch& scratch,
                                              Leaf const& leaf_bodies, int tile, int count,
                                              Body const& body) const {
    Sum sum{};
    group.share(
        scratch.tile, count, [&](int k) { return law.source(body(k)); },
        [&](typename Law::Source const& source, int k) {
          add_pair(sum, leaf_bodies, tile, source, body(k));
        });
    return sum;
  }
  /// P2P: adds a source leaf to one tile, in the lanes of the mask.
  KOKKOS_FORCEINLINE_FUNCTION void add_leaf(Group const& group, Scratch& scratch,
                                            Leaf const& leaf_bodies, int tile, CellId source,
                                            LaneMask mask, Total& total) const {
    auto const& tree = criterion.cells.tree;
    std::size_t const end = tree.end(source);
    for (std::size_t begin = tree.begin(source); begin < end; begin += lanes) {
      int const count = end - begin < std::size_t{lanes} ? static_cast<int>(end - begin) : lanes;
      auto sum = sum_sources(group, scratch, leaf_bodies, tile, count,
                             [&](int k) { return begin + static_cast<std::size_t>(k); });
      Law::transform(sum, [&](Lanes const& x) { return group.template only<Real>(mask, x); });
      total.add(sum);
    }
  }

  /// P2P: adds the near list, leaves and single bodies, to all tiles.
  KOKKOS_FORCEINLINE_FUNCTION void add_near(Group const& group, Scratch& scratch,
                                            Leaf const& leaf_bodies, std::size_t j,
                                            Total (&total)[tiles]) const {
    ListReader<Group> reader(group, near, j);
    typename Group::Numbers ids;
    for (int count; (count = reader.read(ids, scratch.sources)) > 0;) {
      LaneMask const valid = first_lanes(count);
      LaneMask const body_lanes = valid & ~group.equal(ids, body_flag, 0);
      if (body_lanes != 0) {
        int const body_count = group.pick(ids, body_lanes, scratch.picked);
        group.sync();
        for (int tile = 0; tile < tiles; ++tile) {
          total[tile].add(sum_sources(group, scratch, leaf_bodies, tile, body_count, [&](int k) {
            return static_cast<std::size_t>(scratch.picked[k] & ~body_flag);
          }));
        }
      }
      if (LaneMask const cell_lanes = valid & ~body_lanes; cell_lanes != 0) {
        group.sync();
        int const cell_count = group.pick(ids, cell_lanes, scratch.picked);
        group.sync();
        add_leaves(group, scratch, leaf_bodies, cell_count, total);
      }
    }
  }
  /// P2P: adds the first `count` leaves of `scratch.picked` to all tiles.
  KOKKOS_FORCEINLINE_FUNCTION void add_leaves(Group const& group, Scratch& scratch,
                                              Leaf const& leaf_bodies, int count,
                                              Total (&total)[tiles]) const {
    auto const& tree = criterion.cells.tree;
    auto const first_body = [&](int source_tile) {
      return tree.begin(scratch.picked[source_tile / tiles]) +
             static_cast<std::size_t>(source_tile % tiles) * lanes;
    };
    auto const body_count = [&](int source_tile) {
      std::size_t const begin = first_body(source_tile),
                        end = tree.end(scratch.picked[source_tile / tiles]);
      return end < begin + lanes ? static_cast<int>(end - (begin < end ? begin : end)) : lanes;
    };
    unrolled<tiles / tiles_at_once>([&]<int block>() {
      Sum sum[tiles_at_once]{};
      group.share_tiles(
          scratch.tile, count * tiles, body_count,
          [&](int source_tile, int k) {
            return law.source(first_body(source_tile) + static_cast<std::size_t>(k));
          },
          [&](typename Law::Source const& source, int source_tile, int k) {
            unrolled<tiles_at_once>([&]<int tile>() {
              add_pair(sum[tile], leaf_bodies, block * tiles_at_once + tile, source,
                       first_body(source_tile) + static_cast<std::size_t>(k));
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
  /// P2P: adds one source to one tile. `body`: its index, with which the potential excludes the
  /// body itself.
  KOKKOS_FORCEINLINE_FUNCTION void add_pair(Sum& sum, Leaf const& leaf_bodies, int tile,
                                            typename Law::Source const& source,
                                            std::size_t body) const {
    if constexpr (Law::excludes_self) {
      std::size_t const self = leaf_bodies.first_lane_body + static_cast<std::size_t>(tile * lanes);
      law.add_excluding_self(sum, leaf_bodies.position[tile], source,
                             static_cast<std::ptrdiff_t>(body) - static_cast<std::ptrdiff_t>(self));
    } else {
      law.add(sum, leaf_bodies.position[tile], source);
    }
  }

  /// L2P: evaluates the local expansion of the leaf at its bodies.
  KOKKOS_FORCEINLINE_FUNCTION PointField<Lanes> far_field(
      CellId leaf, std::size_t j, BodyLanes<Number, Group::packed> const& targets) const {
    auto const* centre = criterion.cells.centre(leaf);
    return operators.l2p(&fields(j, 0),
                         Displacement<Lanes>{simd::widened<Real, Stored>(targets.x - centre[0]),
                                             simd::widened<Real, Stored>(targets.y - centre[1]),
                                             simd::widened<Real, Stored>(targets.z - centre[2])});
  }

  /// M2P or P2P: classifies the split list for each body of a tile, and adds the sources.
  KOKKOS_FORCEINLINE_FUNCTION void add_split_sources(
      Group const& group, Scratch& scratch, Leaf const& leaf_bodies, int tile, std::size_t j,
      BodyLanes<Number, Group::packed> const& targets, PointField<Lanes>& far, Total& total) const {
    ListReader<Group> reader(group, split, j);
    typename Group::Numbers ids;
    for (int count; (count = reader.read(ids, scratch.sources)) > 0;) {
      for (int k = 0; k < count; ++k) {
        traverse_for_bodies(
            group, criterion, targets, group.number_in_lane(ids, k), scratch.pending,
            [&](Relation relation, CellId source, LaneMask mask) {
              if (relation == Relation::far) return add_far(group, far, targets, source, mask);
              if (!CellTree::is_body(source)) {
                return add_leaf(group, scratch, leaf_bodies, tile, source, mask, total);
              }
              std::size_t const body = source & ~body_flag;
              total.add(
                  sum_sources(group, scratch, leaf_bodies, tile, 1, [&](int) { return body; }));
            });
      }
    }
  }
  /// M2P: adds a source cell in the lanes of the mask.
  KOKKOS_FORCEINLINE_FUNCTION void add_far(Group const& group, PointField<Lanes>& far,
                                           BodyLanes<Number, Group::packed> const& targets,
                                           CellId source, LaneMask mask) const {
    auto const& cells = criterion.cells;
    auto const* centre = cells.centre(source);
    Displacement<Lanes> const r{simd::widened<Real, Stored>(centre[0] - targets.x),
                                simd::widened<Real, Stored>(centre[1] - targets.y),
                                simd::widened<Real, Stored>(centre[2] - targets.z)};
    // In the other lanes a zero inverse distance makes the field zero.
    auto const inverse = group.template only<Real>(mask, inverse_distance(r, softening_squared));
    operators.m2p(far, &cells.moments(source, 0), r, inverse);
  }

  /// Stores the results of the body in the k-th lane of this thread.
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t row, PointField<Lanes> const& far,
                                         Total const& near_total, int k) const {
    auto const& units = criterion.cells.units;
    using Sums = typename Number::Total;
    double const potential_factor = G * (units.mass / units.length);
    double const acceleration_factor = potential_factor / units.length;
    if constexpr (Law::accelerates) {
      auto const store_axis = [&](int axis, Lanes const& far_component,
                                  auto const& near_component) {
        double const sum = static_cast<double>(simd::lane<Real>(far_component, k)) +
                           static_cast<double>(simd::lane<Sums>(near_component, k));
        acceleration(row, axis) = static_cast<Stored>(acceleration_factor * sum);
      };
      store_axis(0, far.x, near_total.x);
      store_axis(1, far.y, near_total.y);
      store_axis(2, far.z, near_total.z);
    }
    if constexpr (Law::excludes_self) {  // the law has a potential
      potential(row) = -potential_factor * (static_cast<double>(simd::lane<Real>(far.psi, k)) +
                                            simd::lane<double>(near_total.depth, k));
    }
  }
};

}  // namespace apsis::forces::fmm
