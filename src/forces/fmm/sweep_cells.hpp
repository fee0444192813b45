// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "downward_pass.hpp"
#include "forces/sweep.hpp"
#include "geometry.hpp"
#include "leaf_forces.hpp"
#include "moments.hpp"
#include "sweep_input.hpp"
#include "tuning.hpp"
#include <apsis/core/backend.hpp>

#include <algorithm>
#include <chrono>
#include <type_traits>
#include <utility>
#include <vector>

/// Sequence of all passes of a sweep, for one precision.
namespace apsis::forces::fmm {

/// Computes the acceleration floor. A body with nearly zero acceleration, at a centre of symmetry
/// for example, would reject every cell. Accelerations are therefore clamped from below at a
/// quarter of the 0.5 % quantile, estimated from a fixed sample. The accuracy is a 99th percentile,
/// which so few bodies do not change.
template <class Stored>
struct FindAccelerationFloor {
  static constexpr std::size_t sample = 512;
  static constexpr unsigned quantile_rank = 2;  ///< rank of the quantile in the sample
  Column<Stored> acceleration;                  ///< of each body; at least one row
  Column<Stored> floor;                         ///< one row; unchanged if nearly all values are NaN

  /// Returns the k-th sample: one body of each of equal parts of the rows, at a varying offset,
  /// since rows may have a pattern.
  KOKKOS_FORCEINLINE_FUNCTION Stored sample_value(std::size_t k) const {
    std::size_t const bodies = acceleration.extent(0);
    std::size_t const begin = k * bodies / sample, end = (k + 1) * bodies / sample;
    std::size_t const offset = (k * std::uint32_t{0x9E3779B9}) >> 7;
    return acceleration(end > begin ? begin + offset % (end - begin) : begin);
  }
  KOKKOS_FUNCTION void operator()(std::size_t k) const {
    Stored const value = sample_value(k);
    unsigned rank = 0;
    for (std::size_t other = 0; other < sample; ++other) {
      Stored const other_value = sample_value(other);
      rank += other_value < value || (other_value == value && other < k) ? 1u : 0u;
    }
    // NaN has rank 0, so it is never selected.
    if (rank == quantile_rank) floor(0) = value / Stored(4);
  }
};

/// Writes the clamped accelerations in the order of the leaves, in internal units.
template <class Number>
struct SortAccelerations {
  Column<typename Number::Stored> acceleration;  ///< of each body
  BodyOrder order;
  Column<typename Number::Stored> floor;
  double per_unit;  ///< inverse of the unit of accelerations over G
  Kokkos::View<typename Number::Real*, MemorySpace> sorted;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    auto const value = acceleration(order(i));
    auto const clamped = value < floor(0) ? floor(0) : value;
    sorted(i) = static_cast<typename Number::Real>(static_cast<double>(clamped) * per_unit);
  }
};

/// One sweep over all targets: upward pass (P2M, M2M), downward pass (M2L, L2L), forces on the
/// bodies of the leaves (L2P, M2P, P2P). The constructor makes the upward pass, run() the rest.
template <class Number, class Operators>
class SweepCells {
 public:
  using Real = typename Number::Real;
  using Stored = typename Number::Stored;

  SweepCells(Evaluation<Number> const& evaluation, SweepInput<Number> const& input,
             Operators const& operators)
      : evaluation_(evaluation),
        input_(input),
        operators_(operators),
        cells_(input.workspace.cells) {
    auto const& space = evaluation.space;
    build_geometry(space, input.workspace.sorted_bodies.bodies, evaluation.gravity.softening,
                   CellTree::make(input.workspace.sorted_bodies.order.extent(0), leaf_size<Real>),
                   operators.order, cells_, input.workspace.build);
    sort_accelerations();
    build_moments(space, operators, cells_, input.workspace.build.arrivals);
    top_level_ = std::min(default_top_level, cells_.tree.depth);
    gravity_in_units_ = evaluation.gravity;
    gravity_in_units_.softening /= cells_.units.length;
    softening_squared_ =
        has_size(gravity_in_units_)
            ? Real(0)
            : static_cast<Real>(gravity_in_units_.softening * gravity_in_units_.softening);
  }

  /// Runs the sweep. If all lists fitted into their blocks in the last sweep, the host checks them
  /// once at the end. If they do not fit this time, or did not fit last time, the host sweeps
  /// (again) and checks them after each construction, which then allocates more blocks.
  SweepOutcome run() {
    auto& workspace = input_.workspace;
    if (workspace.lists_fit) {
      // The construction of the cells costs the same on all ranks and is not timed.
      if (input_.leaf_share)
        evaluation_.space.fence("apsis::forces::fmm: the host reads the clock");
      auto const begin = std::chrono::steady_clock::now();
      sweep_once(ListCheck::at_end);
      auto const status = workspace.lists.status(evaluation_.space);
      if (status == ListStatus::too_long) return {};
      std::chrono::duration<double> const elapsed = std::chrono::steady_clock::now() - begin;
      if (status == ListStatus::complete) return {1, elapsed.count()};
    }
    workspace.lists_fit = false;
    workspace.lists_fit = sweep_once(ListCheck::after_each);
    return {workspace.lists_fit ? 1U : 0U, 0.0};
  }

 private:
  /// Sweeps once. Returns false if the host checked the lists and one exceeded its limit.
  bool sweep_once(ListCheck check) {
    auto const& space = evaluation_.space;
    auto& workspace = input_.workspace;
    workspace.lists.begin_sweep(check);
    CellId const leaves = workspace.targets.leaves(), batch_size = leaves_per_batch(leaves);
    auto const share = input_.leaf_share.value_or(Share{0, leaves});
    auto const first = static_cast<CellId>(share.first);
    auto const last = static_cast<CellId>(share.first + share.count);
    if (first == last) return true;
    std::size_t const batches = (last - first + batch_size - 1) / batch_size;
    workspace.lists.reset_counters(space, static_cast<std::size_t>(cells_.tree.depth) + batches);
    auto const levels = workspace.targets.levels(space, first, last);
    if (!downward_pass(levels)) return false;
    CellId const parent_first = levels.back().parent_first;
    for (CellId begin = first; begin < last; begin += batch_size) {
      auto const targets =
          workspace.targets.leaf_targets(begin, std::min(batch_size, last - begin), parent_first);
      if (!evaluate_level(targets, cells_.tree.depth)) return false;
      evaluate_leaves(targets, begin - first);
    }
    return true;
  }

  /// Fills cells_.body_acceleration, with values at or above the acceleration floor.
  void sort_accelerations() {
    auto const& space = evaluation_.space;
    if (input_.acceleration.extent(0) == 0) {
      cells_.body_acceleration = {};
      return;
    }
    std::size_t const bodies = cells_.tree.bodies;
    fit(space, cells_.body_acceleration, "apsis::forces::fmm::body_acceleration", bodies);
    auto& floor = input_.workspace.acceleration_floor;
    fit(space, floor, "apsis::forces::fmm::acceleration_floor", 1);
    Kokkos::deep_copy(space, floor, Stored(0));
    FindAccelerationFloor<Stored> const find{input_.acceleration, floor};
    for_each(space, "apsis::forces::fmm::acceleration_floor", find.sample, find);
    double const per_unit = cells_.units.length * cells_.units.length / cells_.units.mass;
    for_each(space, "apsis::forces::fmm::body_acceleration", bodies,
             SortAccelerations<Number>{input_.acceleration, input_.workspace.sorted_bodies.order,
                                       floor, per_unit, cells_.body_acceleration});
  }

  /// Downward pass: lists and local expansions of the cells above the leaves.
  bool downward_pass(std::vector<LevelTargets> const& levels) {
    auto& workspace = input_.workspace;
    list_top_cells();
    for (int level = top_level_; level < cells_.tree.depth; ++level) {
      if (!evaluate_level(levels[static_cast<std::size_t>(level)], level)) return false;
      workspace.lists.swap_split(workspace.candidates);
      std::swap(workspace.parents, workspace.fields);
    }
    return true;
  }

  /// The candidates of all cells of the top level are all cells of that level.
  void list_top_cells() {
    auto const& space = evaluation_.space;
    auto& candidates = input_.workspace.candidates;
    CellId const count = cells_.tree.count_at(top_level_);
    candidates.prepare(space, count / ListBlocks::size + 1, "apsis::forces::fmm::candidates", {});
    for_each<CellId>(space, "apsis::forces::fmm::list_top_cells", count,
                     ListConsecutive{candidates, CellId{1} << top_level_, count});
  }

  /// Builds the lists of some cells of a level, and computes their local expansions (M2L, L2L) from
  /// those of the level above.
  bool evaluate_level(LevelTargets const& level_targets, int level) {
    auto const& space = evaluation_.space;
    auto& workspace = input_.workspace;
    int const depth = cells_.tree.depth;
    // Depends on the level and not on the number of targets, which differs between ranks: the order
    // of the sums must not depend on it.
    auto const parts = [&](int target_level) {
      return target_level == depth || target_level < top_level_ ? 1
                                                                : source_part_count(target_level);
    };
    TargetCells const targets{level_targets, workspace.targets.list(), level == top_level_,
                              parts(level), parts(level - 1)};
    std::size_t const rows =
        std::size_t{level_targets.count} * static_cast<std::size_t>(parts(level));
    // Allocates for the next level too, which has twice as many targets. Batches of leaves are of
    // equal size and need no such reserve.
    if (!build_lists(targets, rows, level < depth - 1 ? 2.5 : 1.1)) return false;
    grow(space, workspace.fields, "apsis::forces::fmm::fields", rows,
         column_count<Real>(operators_.order));
    for_groups(space, "apsis::forces::fmm::far_fields", rows,
               FarFields<Number, Operators, sweep_lanes<Real>>{
                   operators_, cells_, targets, workspace.lists.far(), softening_squared_,
                   workspace.fields});
    if (targets.parts > 1) {
      for_each<CellId>(
          space, "apsis::forces::fmm::far_fields::sum_parts",
          level_targets.count * static_cast<CellId>(column_count<Real>(operators_.order)),
          SumPartialFields<Real>{targets, workspace.fields});
    }
    for_each<CellId>(space, "apsis::forces::fmm::shift_fields", level_targets.count,
                     ShiftFields<Number, Operators>{operators_, cells_, targets, workspace.parents,
                                                    workspace.fields});
    return true;
  }

  /// Builds the far, near and split lists of the targets. Returns false if the host checked them
  /// and one exceeded its limit.
  bool build_lists(TargetCells const& targets, std::size_t rows, double growth) {
    auto const& space = evaluation_.space;
    auto const& candidates = input_.workspace.candidates;
    auto& lists = input_.workspace.lists;
    return lists.construct(space, rows, growth, [&] {
      for_groups(space, "apsis::forces::fmm::construct_lists", rows,
                 BuildLists<Number, sweep_lanes<Real>>{
                     AcceptanceCriterion(cells_, input_.acceptance, operators_.order), targets,
                     rows, candidates, lists.far(), lists.near(), lists.split()});
    });
  }

  /// Computes the forces on the bodies of a batch of leaves (L2P, M2P, P2P). `first_leaf`: index of
  /// the first one among the leaves of this rank.
  void evaluate_leaves(LevelTargets const& leaf_targets, CellId first_leaf) {
    auto const& space = evaluation_.space;
    auto const& tree = cells_.tree;
    auto const& workspace = input_.workspace;
    std::size_t const bodies = tree.bodies;
    auto sorted = evaluation_.sources;
    sorted.position = cells_.position;
    sorted.mass = cells_.mass;
    Targets<Stored> const targets{cells_.position, {}, {}, BodyRows::all(bodies), bodies};
    Evaluation<Number> const evaluation{space, gravity_in_units_, sorted, targets,
                                        evaluation_.output};
    constexpr int lanes = sweep_lanes<Real>;
    static_assert(leaf_size<Real> % lanes == 0);
    TargetCells const leaves{leaf_targets, workspace.targets.list(), tree.depth == top_level_, 1,
                             1};
    double const G = static_cast<double>(static_cast<Stored>(evaluation_.gravity.G));
    auto const result_rows =
        input_.leaf_share ? ResultRows::along_leaves(first_leaf * tree.leaf_capacity)
                          : ResultRows::by_target(workspace.sorted_bodies.order, input_.targets);
    auto const launch = [&](auto const& law) {
      using Law = std::remove_cvref_t<decltype(law)>;
      for_groups(
          space, "apsis::forces::fmm::leaf_forces", leaf_targets.count,
          LeafForces<Law, Number, Operators, lanes>{
              law, operators_, AcceptanceCriterion(cells_, input_.acceptance, operators_.order),
              leaves, workspace.lists.near(), workspace.lists.split(), workspace.fields,
              softening_squared_, G, result_rows, evaluation_.output.acceleration,
              evaluation_.output.potential});
    };
    with_law<Number, AnySoftening, Wants::acceleration, Wants::acceleration_and_potential>(
        evaluation, launch);
  }

  Evaluation<Number> const& evaluation_;
  SweepInput<Number> const& input_;
  Operators const& operators_;
  Cells<Number>& cells_;
  Gravity gravity_in_units_;  ///< with the softening length in internal units
  Real softening_squared_;    ///< of the expansions; 0: beyond their size sources act as points
  int top_level_;             ///< level of the first targets
};

template <class Number, class Operators>
SweepOutcome sweep(Evaluation<Number> const& evaluation, SweepInput<Number> const& input,
                   Operators const& operators) {
  return SweepCells<Number, Operators>(evaluation, input, operators).run();
}

}  // namespace apsis::forces::fmm
