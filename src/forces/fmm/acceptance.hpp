// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cells.hpp"
#include "lanes/lane_group.hpp"
#include "lanes/over_cubed_root.hpp"

#include <cmath>
#include <limits>

/// The multipole acceptance criterion.
namespace apsis::forces::fmm {

/// Parameters of the acceptance criterion.
struct AcceptanceParameters {
  double theta = 0.95;           ///< largest ratio of the sum of the two radii to the distance
  double max_cell_error = 1e-3;  ///< allowed error by one cell, relative to the acceleration
  /// Ratio of radii above which a leaf is divided rather than the other cell.
  double split_ratio = 1.5;
  double source_radius = 0.0;  ///< distance beyond which sources act as points [length]
};

/// Criterion data of consecutive target bodies, one per lane. `packed`: lanes of one thread.
template <class Number, int packed>
struct BodyLanes {
  typename simd::Pack<typename Number::Stored, packed>::type x{}, y{}, z{};
  typename simd::Pack<typename Number::Real, packed>::type mass{}, acceleration{};
  LaneMask valid = 0;  ///< lanes that hold a body
};

/// Criterion data of arbitrary sources, one per lane.
template <class Number, int packed>
struct SourceLanes {
  typename simd::Pack<typename Number::Stored, packed>::type x{}, y{}, z{};
  typename simd::Pack<typename Number::Real, packed>::type radius{}, mass{}, min_acceleration{};
  LaneMask bodies = 0;        ///< lanes that hold bodies; the others hold cells
  LaneMask leaves = 0;        ///< lanes that hold leaves
  LaneMask single_child = 0;  ///< lanes that hold cells with a single child
};

/// Acceptance criterion of two objects A and B, cells or bodies, at distance R. They are well
/// separated if
///
///     r_A + r_B + source_radius < theta R   and   R > min_distance      (1)
///     ((r_A + r_B) / R)^order M_B / R^2 <= max_cell_error * min a of A  (2)
///     ((r_A + r_B) / R)^order M_A / R^2 <= max_cell_error * min a of B  (3)
///
/// Here "min a" is the smallest acceleration of the bodies in the previous evaluation, over G.
/// Without accelerations (1) alone applies.
template <class Number>
struct AcceptanceCriterion {
  using Stored = typename Number::Stored;
  using Real = typename Number::Real;
  Cells<Number> cells;
  Real theta, max_cell_error, split_ratio, source_radius, min_distance;
  int order;  ///< of the expansions
  bool uses_accelerations;

  AcceptanceCriterion(Cells<Number> const& sweep_cells, AcceptanceParameters const& parameters,
                      int expansion_order)
      : cells(sweep_cells),
        theta(static_cast<Real>(parameters.theta)),
        max_cell_error(static_cast<Real>(parameters.max_cell_error)),
        split_ratio(static_cast<Real>(parameters.split_ratio)),
        source_radius(static_cast<Real>(parameters.source_radius / sweep_cells.units.length)),
        // The inverse powers in derivatives() must be finite.
        min_distance(static_cast<Real>(std::pow(
            static_cast<double>(std::numeric_limits<Real>::max()), -1.0 / (expansion_order + 2)))),
        order(expansion_order),
        uses_accelerations(sweep_cells.body_acceleration.extent(0) != 0) {}

  using CellNode = Node<Number>;
  /// Returns the data of a cell or body.
  KOKKOS_FORCEINLINE_FUNCTION CellNode node(CellId id) const {
    if (!CellTree::is_body(id)) return cells.nodes(id);
    std::size_t const i = id & ~body_flag;
    CellNode result;
    for (int axis = 0; axis < 3; ++axis) result.centre[axis] = cells.position(i, axis);
    result.radius = Real(0);
    result.mass = static_cast<Real>(cells.mass(i));
    result.min_acceleration = uses_accelerations ? cells.body_acceleration(i) : Real(1);
    result.child_count = Real(0);
    return result;
  }

  /// Loads the bodies [begin, begin + count). The lanes beyond `count` get the first body.
  template <class Group>
  KOKKOS_FORCEINLINE_FUNCTION BodyLanes<Number, Group::packed> load_bodies(Group const& group,
                                                                           std::size_t begin,
                                                                           int count) const {
    BodyLanes<Number, Group::packed> result;
    result.valid = first_lanes(count);
    for (int k = 0; k < Group::packed; ++k) {
      int const lane = group.lane(k);
      auto const body =
          node(body_flag |
               static_cast<CellId>(begin + static_cast<std::size_t>(lane < count ? lane : 0)));
      simd::set_lane<Stored>(result.x, k, body.centre[0]);
      simd::set_lane<Stored>(result.y, k, body.centre[1]);
      simd::set_lane<Stored>(result.z, k, body.centre[2]);
      simd::set_lane<Real>(result.mass, k, body.mass);
      simd::set_lane<Real>(result.acceleration, k, body.min_acceleration);
    }
    return result;
  }

  /// Loads the cells or bodies in `ids`.
  template <class Group>
  KOKKOS_FORCEINLINE_FUNCTION SourceLanes<Number, Group::packed> load_sources(
      Group const& group, typename Group::Numbers const& ids) const {
    constexpr int packed = Group::packed;
    SourceLanes<Number, packed> result;
    result.bodies = ~group.equal(ids, body_flag, 0);
    typename simd::Pack<Real, packed>::type child_count{};
    if constexpr (packed > 1 && sizeof(Stored) == sizeof(Real)) {
      // Loads whole nodes: filling packs number by number takes a host longer.
      CellNode body_nodes[packed];
      Real const* rows[packed];
      for (int k = 0; k < packed; ++k) {
        CellId const id = group.local_number(ids, k);
        if (CellTree::is_body(id)) body_nodes[k] = node(id);
        auto const* const source = CellTree::is_body(id) ? &body_nodes[k] : &cells.nodes(id);
        rows[k] = reinterpret_cast<Real const*>(source);
      }
      typename simd::Pack<Real, packed>::type numbers[CellNode::numbers];
      simd::load_rows<CellNode::numbers>(rows, numbers);
      result.x = numbers[0];
      result.y = numbers[1];
      result.z = numbers[2];
      result.radius = numbers[3];
      result.mass = numbers[4];
      result.min_acceleration = numbers[5];
      child_count = numbers[6];
    } else {
      for (int k = 0; k < packed; ++k) {
        CellNode const source = node(group.local_number(ids, k));
        simd::set_lane<Stored>(result.x, k, source.centre[0]);
        simd::set_lane<Stored>(result.y, k, source.centre[1]);
        simd::set_lane<Stored>(result.z, k, source.centre[2]);
        simd::set_lane<Real>(result.radius, k, source.radius);
        simd::set_lane<Real>(result.mass, k, source.mass);
        simd::set_lane<Real>(result.min_acceleration, k, source.min_acceleration);
        simd::set_lane<Real>(child_count, k, source.child_count);
      }
    }
    result.leaves = group.template mask<Real>(child_count == Real(0)) & ~result.bodies;
    result.single_child = group.template mask<Real>(child_count == Real(1));
    return result;
  }

  /// Lanes in which the sources `b` are well separated from the target cell `a`.
  template <class Group>
  KOKKOS_FORCEINLINE_FUNCTION LaneMask are_well_separated(
      Group const& group, CellNode const& a, SourceLanes<Number, Group::packed> const& b) const {
    return are_well_separated(group, simd::widened<Real, Stored>(b.x - a.centre[0]),
                              simd::widened<Real, Stored>(b.y - a.centre[1]),
                              simd::widened<Real, Stored>(b.z - a.centre[2]), b.radius + a.radius,
                              b.mass, b.min_acceleration, a);
  }
  /// Lanes in which the target bodies `a` are well separated from the source cell `b`.
  template <class Group>
  KOKKOS_FORCEINLINE_FUNCTION LaneMask are_well_separated(Group const& group,
                                                          BodyLanes<Number, Group::packed> const& a,
                                                          CellNode const& b) const {
    return a.valid & are_well_separated(group, simd::widened<Real, Stored>(b.centre[0] - a.x),
                                        simd::widened<Real, Stored>(b.centre[1] - a.y),
                                        simd::widened<Real, Stored>(b.centre[2] - a.z), b.radius,
                                        a.mass, a.acceleration, b);
  }

  /// Lanes in which the target cell `a` is split; in the others the source is opened. For sources
  /// that are neither far nor near:
  ///
  ///     target      source      the target is split if
  ///     leaf        cell        it is larger by more than the factor split_ratio
  ///     cell        body        always
  ///     cell        leaf        the leaf is not larger by more than the factor split_ratio
  ///     cell        cell        it is larger; of equal radii, the cell with the lower number is
  ///     split
  template <class Group>
  KOKKOS_FORCEINLINE_FUNCTION LaneMask needs_target_split(
      Group const& group, CellId cell, CellNode const& a, typename Group::Numbers const& ids,
      SourceLanes<Number, Group::packed> const& b) const {
    if (a.child_count == Real(0)) {
      return b.bodies | group.template mask<Real>(a.radius > split_ratio * b.radius);
    }
    LaneMask const larger =
        group.template mask<Real>(a.radius > b.radius) |
        (group.template mask<Real>(a.radius == b.radius) & group.above(ids, cell));
    LaneMask const no_larger_leaf = ~group.template mask<Real>(b.radius > split_ratio * a.radius);
    return b.bodies | (b.leaves & no_larger_leaf) | (~b.leaves & larger);
  }

 private:
  /// Criterion for two objects at displacement (x, y, z) with radii that add up to `radius_sum`:
  /// those in the lanes of `mass` and `acceleration`, and `b`.
  template <class Group, class Lanes, class Radii>
  KOKKOS_FORCEINLINE_FUNCTION LaneMask are_well_separated(Group const& group, Lanes const& x,
                                                          Lanes const& y, Lanes const& z,
                                                          Radii radius_sum, Lanes const& mass,
                                                          Lanes const& acceleration,
                                                          CellNode const& b) const {
    auto const square = x * x + (y * y + z * z);
    auto const bound = radius_sum + source_radius;
    auto const separated =
        (bound * bound < theta * theta * square) & (square > min_distance * min_distance);
    if (!uses_accelerations) return group.template mask<Real>(separated);
    // power = (radius_sum / distance)^order.
    auto const t_squared = radius_sum * radius_sum / square;
    auto power = t_squared;
    for (int k = 3; k < order; k += 2) power *= t_squared;
    if (order % 2 != 0) {
      power *= radius_sum * (square * simd::over_cubed_root(Real(1), square));
    }
    auto const allowed = max_cell_error * square;
    return group.template mask<Real>(separated & (power * b.mass <= allowed * acceleration) &
                                     (power * mass <= allowed * b.min_acceleration));
  }
};

}  // namespace apsis::forces::fmm
