// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../sweep.hpp"
#include "lots.hpp"
#include "orders.hpp"
#include "passes.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

/// The passes of one precision and order, one after the other.
namespace apsis::forces::fmm {

/// The passes over all targets of one sweep.
template <class Number, int order>
class SweepCells {
 public:
  using Real = typename Number::Real;
  using Stored = typename Number::Stored;

  SweepCells(Evaluation<Number> const& evaluation, BodyOrder const& along,
             FmmEvaluation<Number> const& of)
      : evaluation_(evaluation), along_(along), of_(of), cells_(of.kept.cells) {
    auto const& space = evaluation.space;
    build_places<Number, order>(space, evaluation.sources, evaluation.gravity.softening, along,
                                Division::of(along.extent(0), leaf_size<Real>), cells_,
                                of.kept.boxes);
    sort_pulls();
    build_moments<Number, order>(space, cells_);
    in_units_ = evaluation.gravity;
    in_units_.softening /= cells_.units.length;
    softening_squared_ = has_size(in_units_)
                             ? Real(0)
                             : static_cast<Real>(in_units_.softening * in_units_.softening);
  }

  /// Returns whether it could.
  bool run() {
    CellId const leaves = cells_.division.leaves, lot = leaves_of_lot(leaves);
    auto const own = of_.leaves.value_or(Share{0, leaves});
    auto const last = static_cast<CellId>(own.first + own.count);
    for (auto begin = static_cast<CellId>(own.first); begin < last; begin += lot) {
      CellId const end = std::min(last, begin + lot);
      if (!descend(begin, end)) return false;
      finish(begin, end);
    }
    return true;
  }

 private:
  void sort_pulls() {
    auto const& space = evaluation_.space;
    if (of_.pull.extent(0) == 0) {
      cells_.body_pull = {};
      return;
    }
    std::size_t const bodies = cells_.division.bodies;
    allocate(space, cells_.body_pull, "apsis::forces::fmm::body_pull", bodies);
    double const unit = cells_.units.length * cells_.units.length / cells_.units.mass;
    Kokkos::parallel_for(
        "apsis::forces::fmm::body_pull",
        Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0, bodies),
        PullsAlongTheCurve<Number>{of_.pull, along_, unit, cells_.body_pull});
  }

  /// Lists and fields of the cells above some leaves, and of these.
  bool descend(CellId begin, CellId end) {
    auto const& space = evaluation_.space;
    auto const& division = cells_.division;
    auto& kept = of_.kept;
    // The whole looks at itself.
    kept.candidates.start(space, 1, "apsis::forces::fmm::candidates", {});
    Kokkos::deep_copy(space, Kokkos::subview(kept.candidates.counts, 0), 1u);
    Kokkos::deep_copy(space, Kokkos::subview(kept.candidates.blocks.entries, 0, 0), CellId{1});
    for (int level = 0, parent_parts = 1; level <= division.depth; ++level) {
      CellId const first = division.ancestor_begin(begin, level);
      CellId const count = division.ancestor_end(end, level) - first;
      // By the level, not by the count, so that it does not matter who sweeps over which leaves.
      int const parts = level == division.depth ? 1 : parts_at(level);
      TargetCells const targets{(CellId{1} << level) + first, parts, parent_parts};
      parent_parts = parts;
      std::size_t const rows = std::size_t{count} * static_cast<std::size_t>(parts);
      // The next level has twice as many targets.
      if (!look(targets, rows, level < division.depth ? 2.5 : 1.1)) return false;
      std::swap(kept.parents, kept.fields);
      reserve_rows(kept.fields, rows);
      for_groups(space, "apsis::forces::fmm::far_fields", rows,
                 FarFields<Number, order, lanes_of<Real>>{cells_, targets, kept.far,
                                                          softening_squared_, kept.fields});
      for_cells(space, "apsis::forces::fmm::shift_fields", count,
                ShiftFields<Number, order>{cells_, targets, kept.parents, kept.fields});
      std::swap(kept.candidates, kept.split);
    }
    return true;
  }

  bool look(TargetCells const& targets, std::size_t rows, double more) {
    auto const& space = evaluation_.space;
    auto& kept = of_.kept;
    std::pair<Chains*, std::string> const lists[3] = {{&kept.far, "apsis::forces::fmm::far"},
                                                      {&kept.near, "apsis::forces::fmm::near"},
                                                      {&kept.split, "apsis::forces::fmm::split"}};
    allocate(space, kept.used, "apsis::forces::fmm::used", 3);
    for (bool again = true; again;) {
      again = false;
      Kokkos::deep_copy(space, kept.used, std::uint64_t{0});
      for (int k = 0; k < 3; ++k) {
        lists[k].first->start(space, rows, lists[k].second, BlocksUsed(kept.used.data() + 2 * k));
      }
      for_groups(space, "apsis::forces::fmm::look_around", rows,
                 LookAround<Number, order, lanes_of<Real>>{
                     Decide<Number, order>(cells_, of_.criterion), targets, rows, kept.candidates,
                     kept.far, kept.near, kept.split});
      std::uint64_t used[3][2] = {};
      Kokkos::deep_copy(
          space,
          Kokkos::View<std::uint64_t* [2], Kokkos::LayoutRight, Kokkos::HostSpace>(&used[0][0], 3),
          kept.used);
      space.fence("apsis::forces::fmm: the host looks whether lists had room");
      for (int k = 0; k < 3; ++k) {
        if (used[k][1] != 0) return false;
        if (!lists[k].first->has(space, rows + used[k][0], more, lists[k].second)) again = true;
      }
    }
    return true;
  }

  /// The forces on the bodies of some leaves.
  void finish(CellId begin, CellId end) {
    auto const& space = evaluation_.space;
    auto const& division = cells_.division;
    auto const& kept = of_.kept;
    std::size_t const bodies = division.bodies;
    auto sorted = evaluation_.sources;
    sorted.position = cells_.position;
    sorted.mass = cells_.mass;
    Targets<Stored> const targets{cells_.position, {}, {}, 0, {0, bodies}, {}, bodies};
    Evaluation<Number> const pairs{space, in_units_, sorted, targets, evaluation_.into};
    constexpr int lanes = lanes_of<Real>;
    TargetCells const leaves{division.first_leaf() + begin, 1, 1};
    std::size_t const from = division.begin(leaves.first);
    std::size_t const to = division.end(division.first_leaf() + end - 1);
    double const G = static_cast<double>(static_cast<Stored>(evaluation_.gravity.G));
    std::size_t const first_row = of_.leaves ? of_.leaves->first * division.leaf : 0;
    auto const near = [&](auto const& law) {
      using Law = std::remove_cvref_t<decltype(law)>;
      for_groups(
          space, "apsis::forces::fmm::near_forces", (to - from + lanes - 1) / lanes,
          NearForces<Law, Number, order, lanes>{
              law, Decide<Number, order>(cells_, of_.criterion), leaves, kept.near, kept.candidates,
              kept.fields, softening_squared_, G, of_.leaves ? BodyOrder() : along_, first_row,
              evaluation_.into.acceleration, evaluation_.into.potential});
    };
    if (has_size(in_units_)) {
      with_law<Number, Compact, Wanted::acceleration, Wanted::both>(pairs, near);
    } else {
      with_law<Number, Pointlike, Wanted::acceleration, Wanted::both>(pairs, near);
    }
  }

  void reserve_rows(Expansions<Real>& fields, std::size_t rows) const {
    if (fields.extent(0) >= rows) return;
    allocate(evaluation_.space, fields, "apsis::forces::fmm::fields", rows, columns_to(order));
  }

  Evaluation<Number> const& evaluation_;
  BodyOrder const& along_;
  FmmEvaluation<Number> const& of_;
  Cells<Number>& cells_;
  Gravity in_units_;
  Real softening_squared_;
};

/// Returns whether it could.
template <class Number, int order>
bool sweep_order(Evaluation<Number> const& evaluation, BodyOrder const& along,
                 FmmEvaluation<Number> const& of) {
  return SweepCells<Number, order>(evaluation, along, of).run();
}

}  // namespace apsis::forces::fmm
