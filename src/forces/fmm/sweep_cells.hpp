// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../sweep.hpp"
#include "lots.hpp"
#include "near_forces.hpp"
#include "orders.hpp"
#include "passes.hpp"
#include "pulls.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// The passes of one precision and order, one after the other.
namespace apsis::forces::fmm {

/// The passes over all targets of one sweep.
template <class Number, int order>
class SweepCells {
 public:
  using Real = typename Number::Real;
  using Stored = typename Number::Stored;

  SweepCells(Evaluation<Number> const& evaluation, FmmEvaluation<Number> const& of)
      : evaluation_(evaluation), of_(of), cells_(of.kept.cells) {
    auto const& space = evaluation.space;
    build_places<Number, order>(space, of.kept.along.bodies, evaluation.gravity.softening,
                                Division::of(of.kept.along.order.extent(0), leaf_size<Real>),
                                cells_, of.kept.build);
    sort_pulls();
    build_moments<Number, order>(space, cells_, of.kept.build.arrivals);
    top_ = std::min(usual_top, cells_.division.depth);
    in_units_ = evaluation.gravity;
    in_units_.softening /= cells_.units.length;
    softening_squared_ = has_size(in_units_)
                             ? Real(0)
                             : static_cast<Real>(in_units_.softening * in_units_.softening);
  }

  /// Returns whether it could.
  bool run() {
    auto& kept = of_.kept;
    kept.seconds = 0.0;
    if (kept.has_room) {
      // What comes before is the same for all processes.
      if (of_.own) evaluation_.space.fence("apsis::forces::fmm: the clock reads");
      auto const begin = std::chrono::steady_clock::now();
      bool const could = sweep();
      auto const looked = seen();
      if (looked == Seen::too_long) return false;
      if (looked == Seen::room) {
        kept.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        return could;
      }
    }
    kept.has_room = false;
    kept.has_room = sweep();
    return kept.has_room;
  }

 private:
  enum class Seen { room, no_room, too_long };
  /// Lists of some targets; what blocks there were for who is far, near and split.
  struct Look {
    std::size_t rows;
    std::size_t blocks[3];
  };

  /// Returns whether it could, as far as the host has looked.
  bool sweep() {
    auto const& space = evaluation_.space;
    auto& kept = of_.kept;
    looks_.clear();
    CellId const leaves = kept.targets.leaves(), lot = leaves_of_lot(leaves);
    auto const own = of_.own.value_or(Share{0, leaves});
    auto const first = static_cast<CellId>(own.first);
    auto const last = static_cast<CellId>(own.first + own.count);
    if (first == last) return true;
    std::size_t const looks =
        static_cast<std::size_t>(cells_.division.depth) + (last - first + lot - 1) / lot;
    if (kept.used.extent(0) < 3 * looks) {
      kept.used = {};
      allocate(space, kept.used, "apsis::forces::fmm::used", 3 * looks);
    }
    Kokkos::deep_copy(space, kept.used, std::uint64_t{0});
    auto const levels = kept.targets.levels(space, first, last);
    if (!descend(levels)) return false;
    CellId const parent_first = levels.back().parent_first;
    for (CellId begin = first; begin < last; begin += lot) {
      auto const targets =
          kept.targets.leaf_targets(begin, std::min(lot, last - begin), parent_first);
      if (!meet(targets, cells_.division.depth)) return false;
      finish(targets, begin - first);
    }
    return true;
  }

  auto used_rows(std::size_t first_look, std::size_t end_look) const {
    return Kokkos::subview(of_.kept.used, std::pair(3 * first_look, 3 * end_look), Kokkos::ALL);
  }
  /// Of these looks and their three lists: blocks that were asked for, and whether one was too
  /// long.
  std::vector<std::uint64_t> used_by(std::size_t first_look, std::size_t end_look) const {
    std::size_t const lists = 3 * (end_look - first_look);
    std::vector<std::uint64_t> used(2 * lists);
    Kokkos::deep_copy(evaluation_.space,
                      Kokkos::View<std::uint64_t* [2], Kokkos::LayoutRight, Kokkos::HostSpace>(
                          used.data(), lists),
                      used_rows(first_look, end_look));
    evaluation_.space.fence("apsis::forces::fmm: the host looks whether lists had room");
    return used;
  }
  /// After a sweep that the host did not look at before.
  Seen seen() const {
    if (looks_.empty()) return Seen::room;
    auto const used = used_by(0, looks_.size());
    for (std::size_t look = 0; look < looks_.size(); ++look) {
      for (std::size_t k = 0; k < 3; ++k) {
        auto const* const of = &used[2 * (3 * look + k)];
        // Behind a list that had no room others may be too long or not: they say nothing.
        if (looks_[look].rows + of[0] > looks_[look].blocks[k]) return Seen::no_room;
        if (of[1] != 0) return Seen::too_long;
      }
    }
    return Seen::room;
  }

  void sort_pulls() {
    auto const& space = evaluation_.space;
    if (of_.pull.extent(0) == 0) {
      cells_.body_pull = {};
      return;
    }
    std::size_t const bodies = cells_.division.bodies;
    allocate(space, cells_.body_pull, "apsis::forces::fmm::body_pull", bodies);
    auto& least = of_.kept.least_pull;
    allocate(space, least, "apsis::forces::fmm::least_pull", 1);
    Kokkos::deep_copy(space, least, Stored(0));
    FindLeastPull<Stored> const find{of_.pull, least};
    Kokkos::parallel_for(
        "apsis::forces::fmm::least_pull",
        Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0, find.sample),
        find);
    double const unit = cells_.units.length * cells_.units.length / cells_.units.mass;
    Kokkos::parallel_for(
        "apsis::forces::fmm::body_pull",
        Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0, bodies),
        PullsAlongTheCurve<Number>{of_.pull, of_.kept.along.order, least, unit, cells_.body_pull});
  }

  /// Lists and fields of the cells above the leaves.
  bool descend(std::vector<LevelTargets> const& levels) {
    auto& kept = of_.kept;
    start_at_the_top();
    for (int level = top_; level < cells_.division.depth; ++level) {
      if (!meet(levels[static_cast<std::size_t>(level)], level)) return false;
      std::swap(kept.candidates, kept.split);
      std::swap(kept.parents, kept.fields);
    }
    return true;
  }

  /// Cells of the top level look at each other.
  void start_at_the_top() {
    auto const& space = evaluation_.space;
    auto& candidates = of_.kept.candidates;
    CellId const count = cells_.division.count_at(top_);
    candidates.start(space, count / Blocks::size + 1, "apsis::forces::fmm::candidates", {});
    for_cells(space, "apsis::forces::fmm::start_at_the_top", count,
              ListAll{candidates, CellId{1} << top_, count});
  }

  /// Lists and fields of some cells of a level, from those of the level above.
  bool meet(LevelTargets const& of_level, int level) {
    auto const& space = evaluation_.space;
    auto& kept = of_.kept;
    int const depth = cells_.division.depth;
    // By the level, not by the count, so that it does not matter who sweeps over which leaves.
    auto const parts = [&](int of) { return of == depth || of < top_ ? 1 : parts_at(of); };
    TargetCells const targets{of_level, kept.targets.list(), level == top_, parts(level),
                              parts(level - 1)};
    std::size_t const rows = std::size_t{of_level.count} * static_cast<std::size_t>(parts(level));
    // The next level has twice as many targets; there are no more leaves in a lot than there are
    // cells above all.
    if (!look(targets, rows, level < depth - 1 ? 2.5 : 1.1)) return false;
    reserve_rows(kept.fields, rows);
    for_groups(space, "apsis::forces::fmm::far_fields", rows,
               FarFields<Number, order, lanes_of<Real>>{cells_, targets, kept.far,
                                                        softening_squared_, kept.fields});
    if (targets.parts > 1) {
      for_cells(space, "apsis::forces::fmm::far_fields::sum_parts",
                of_level.count * static_cast<CellId>(columns_to<Real>(order)),
                SumParts<Real>{targets, kept.fields});
    }
    for_cells(space, "apsis::forces::fmm::shift_fields", of_level.count,
              ShiftFields<Number, order>{cells_, targets, kept.parents, kept.fields});
    return true;
  }

  bool look(TargetCells const& targets, std::size_t rows, double more) {
    auto const& space = evaluation_.space;
    auto& kept = of_.kept;
    std::pair<Chains*, std::string> const lists[3] = {{&kept.far, "apsis::forces::fmm::far"},
                                                      {&kept.near, "apsis::forces::fmm::near"},
                                                      {&kept.split, "apsis::forces::fmm::split"}};
    std::size_t const place = looks_.size();
    looks_.push_back({rows, {}});
    for (bool again = true; again;) {
      again = false;
      for (std::size_t k = 0; k < 3; ++k) {
        auto& list = *lists[k].first;
        list.start(space, rows, lists[k].second,
                   BlocksUsed(kept.used.data() + 2 * (3 * place + k)));
        looks_[place].blocks[k] = list.blocks.entries.extent(0);
      }
      for_groups(space, "apsis::forces::fmm::look_around", rows,
                 LookAround<Number, order, lanes_of<Real>>{
                     Decide<Number, order>(cells_, of_.criterion), targets, rows, kept.candidates,
                     kept.far, kept.near, kept.split});
      if (kept.has_room) return true;
      auto const used = used_by(place, place + 1);
      for (std::size_t k = 0; k < 3; ++k) {
        if (used[2 * k + 1] != 0) return false;
        if (!lists[k].first->has(space, rows + used[2 * k], more, lists[k].second)) again = true;
      }
      if (again) Kokkos::deep_copy(space, used_rows(place, place + 1), std::uint64_t{0});
    }
    return true;
  }

  /// The forces on the bodies of some leaves, the first of which is number `from` of those here.
  void finish(LevelTargets const& of_leaves, CellId from) {
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
    static_assert(leaf_size<Real> % lanes == 0);
    TargetCells const leaves{of_leaves, kept.targets.list(), division.depth == top_, 1, 1};
    double const G = static_cast<double>(static_cast<Stored>(evaluation_.gravity.G));
    auto const along = of_.own ? BodyOrder() : kept.along.order;
    auto const near = [&](auto const& law) {
      using Law = std::remove_cvref_t<decltype(law)>;
      for_groups(space, "apsis::forces::fmm::near_forces", of_leaves.count,
                 NearForces<Law, Number, order, lanes>{
                     law, Decide<Number, order>(cells_, of_.criterion), leaves, kept.near,
                     kept.split, kept.fields, softening_squared_, G, along, from * division.leaf,
                     of_.row_of_body, evaluation_.into.acceleration, evaluation_.into.potential});
    };
    if (has_size(in_units_)) {
      with_law<Number, Compact, Wanted::acceleration, Wanted::both>(pairs, near);
    } else {
      with_law<Number, Pointlike, Wanted::acceleration, Wanted::both>(pairs, near);
    }
  }

  void reserve_rows(Expansions<Real>& fields, std::size_t rows) const {
    if (fields.extent(0) >= rows) return;
    allocate(evaluation_.space, fields, "apsis::forces::fmm::fields", rows,
             columns_to<Real>(order));
  }

  Evaluation<Number> const& evaluation_;
  FmmEvaluation<Number> const& of_;
  Cells<Number>& cells_;
  Gravity in_units_;
  Real softening_squared_;
  int top_;                  ///< level of the first targets
  std::vector<Look> looks_;  ///< of this sweep
};

/// Returns whether it could.
template <class Number, int order>
bool sweep_order(Evaluation<Number> const& evaluation, FmmEvaluation<Number> const& of) {
  return SweepCells<Number, order>(evaluation, of).run();
}

}  // namespace apsis::forces::fmm
