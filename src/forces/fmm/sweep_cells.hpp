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
             FmmEvaluation<Stored> const& of)
      : evaluation_(evaluation), along_(along), of_(of) {
    auto const& space = evaluation.space;
    build_places(space, evaluation.sources, along, evaluation.gravity.softening, leaf_size<Real>,
                 cells_);
    if (of.pull.extent(0) != 0) sort_pulls();
    build_moments(space, cells_);
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
  using Fields = Kokkos::View<Real**, Kokkos::LayoutRight, MemorySpace>;

  void sort_pulls() {
    auto const& space = evaluation_.space;
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
    auto& [candidates, far, near, split] = of_.chains;
    candidates.start(space, 1, "apsis::forces::fmm::candidates");
    if (candidates.blocks.entries.extent(0) == 0) {
      allocate(space, candidates.blocks.entries, "apsis::forces::fmm::candidates::blocks",
               std::size_t{1});
    }
    Kokkos::deep_copy(space, Kokkos::subview(candidates.of, 0, 0), 0u);
    Kokkos::deep_copy(space, Kokkos::subview(candidates.of, 0, 1), 1u);
    Kokkos::deep_copy(space, Kokkos::subview(candidates.blocks.entries, 0, 0), CellId{1});
    for (int level = 0; level <= division.depth; ++level) {
      CellId const first = division.ancestor_begin(begin, level);
      CellId const count = division.ancestor_end(end, level) - first;
      TargetCells const targets{(CellId{1} << level) + first};
      // The next level has twice as many targets.
      if (!look(targets, count, level < division.depth ? 2.5 : 1.1)) return false;
      std::swap(parents_, fields_);
      reserve_rows(fields_, count);
      Kokkos::parallel_for("apsis::forces::fmm::far_fields", dynamic(count),
                           FarFields<Number, order, lanes_of<Real>>{
                               cells_, targets, far, softening_squared_, parents_, fields_});
      std::swap(candidates, split);
    }
    return true;
  }

  bool look(TargetCells const& targets, CellId count, double more) {
    auto const& space = evaluation_.space;
    auto& [candidates, far, near, split] = of_.chains;
    std::pair<Chains*, std::string> const lists[] = {{&far, "apsis::forces::fmm::far"},
                                                     {&near, "apsis::forces::fmm::near"},
                                                     {&split, "apsis::forces::fmm::split"}};
    for (bool again = true; again;) {
      again = false;
      for (auto& [chains, label] : lists) chains->start(space, count, label);
      Kokkos::parallel_for(
          "apsis::forces::fmm::look_around", dynamic(count),
          LookAround<Number, order, lanes_of<Real>>{Decide<Number, order>(cells_, of_.criterion),
                                                    targets, candidates, far, near, split});
      for (auto& [chains, label] : lists) {
        auto const used = chains->used(space);
        if (used.too_long != 0) return false;
        again = !chains->has(space, used.blocks, more, label) || again;
      }
    }
    return true;
  }

  /// The forces on the bodies of some leaves.
  void finish(CellId begin, CellId end) {
    auto const& space = evaluation_.space;
    auto const& division = cells_.division;
    auto const& chains = of_.chains;
    std::size_t const bodies = division.bodies;
    auto sorted = evaluation_.sources;
    sorted.position = cells_.position;
    sorted.mass = cells_.mass;
    Targets<Stored> const targets{cells_.position, {}, {}, 0, {0, bodies}, {}, bodies};
    Evaluation<Number> const pairs{space, in_units_, sorted, targets, evaluation_.into};
    constexpr int lanes = lanes_of<Real>;
    TargetCells const leaves{division.first_leaf() + begin};
    std::size_t const from = division.begin(leaves.first);
    std::size_t const to = division.end(division.first_leaf() + end - 1);
    double const G = static_cast<double>(static_cast<Stored>(evaluation_.gravity.G));
    std::size_t const first_row = of_.leaves ? of_.leaves->first * division.leaf : 0;
    auto const near = [&](auto const& law) {
      using Law = std::remove_cvref_t<decltype(law)>;
      Kokkos::parallel_for(
          "apsis::forces::fmm::near_forces", dynamic((to - from + lanes - 1) / lanes),
          NearForces<Law, Number, order, lanes>{
              law, Decide<Number, order>(cells_, of_.criterion), leaves, chains.near,
              chains.candidates, fields_, softening_squared_, G, of_.leaves ? BodyOrder() : along_,
              first_row, evaluation_.into.acceleration, evaluation_.into.potential});
    };
    if (has_size(in_units_)) {
      with_law<Number, Compact, Wanted::acceleration, Wanted::both>(pairs, near);
    } else {
      with_law<Number, Pointlike, Wanted::acceleration, Wanted::both>(pairs, near);
    }
  }

  void reserve_rows(Fields& fields, CellId rows) const {
    if (fields.extent(0) >= rows) return;
    allocate(evaluation_.space, fields, "apsis::forces::fmm::fields", std::size_t{rows},
             static_cast<std::size_t>(terms_to(order)));
  }

  /// Targets take different times.
  template <class Count>
  auto dynamic(Count count) const {
    return Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Count>,
                               Kokkos::Schedule<Kokkos::Dynamic>>(evaluation_.space, 0, count);
  }

  Evaluation<Number> const& evaluation_;
  BodyOrder const& along_;
  FmmEvaluation<Stored> const& of_;
  Cells<Number, order> cells_;
  Gravity in_units_;
  Real softening_squared_;
  Fields parents_, fields_;  ///< of the level before and of this one
};

/// Returns whether it could.
template <class Number, int order>
bool sweep_order(Evaluation<Number> const& evaluation, BodyOrder const& along,
                 FmmEvaluation<typename Number::Stored> const& of) {
  return SweepCells<Number, order>(evaluation, along, of).run();
}

}  // namespace apsis::forces::fmm
