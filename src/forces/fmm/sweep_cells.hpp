// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../sweep.hpp"
#include "orders.hpp"
#include "passes.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

/// The passes of one precision and order, one after the other.
namespace apsis::forces::fmm {

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
/// Bodies and cells at once.
template <class Real>
inline constexpr int lanes_of = 1;
#else
template <class Real>
inline constexpr int lanes_of =
    simd::lane_count<Real,
                     std::conditional_t<sizeof(Real) == 4, simd::NativeFloat, simd::NativeDouble>>;
#endif
/// Bodies of a leaf: registers of them on the host.
template <class Real>
inline constexpr int leaf_size = lanes_of<Real> > 8 ? lanes_of<Real> : 8;

/// Lists of more blocks are those of bodies that are all near each other (in one place, say): to
/// sum over all pairs is then as fast, and takes no memory.
constexpr std::uint64_t most_blocks_of_body = 32;

/// Returns whether it could.
template <class Number, int order>
bool sweep_order(Evaluation<Number> const& evaluation, BodyOrder const& along,
                 FmmEvaluation<typename Number::Stored> const& of) {
  using Real = typename Number::Real;
  using Stored = typename Number::Stored;
  using Fields = Kokkos::View<Real**, Kokkos::LayoutRight, MemorySpace>;
  auto const& space = evaluation.space;
  Cells<Number, order> cells;
  build_places(space, evaluation.sources, along, leaf_size<Real>, cells);
  auto const& division = cells.division;
  std::size_t const bodies = division.bodies;
  if (of.pull.extent(0) != 0) {
    cells.body_pull = decltype(cells.body_pull)(
        Kokkos::view_alloc(space, Kokkos::WithoutInitializing, "apsis::forces::fmm::body_pull"),
        bodies);
    auto const from = of.pull;
    auto const to = cells.body_pull;
    double const unit = cells.units.length * cells.units.length / cells.units.mass;
    Kokkos::parallel_for(
        "apsis::forces::fmm::body_pull",
        Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(space, 0, bodies),
        KOKKOS_LAMBDA(std::size_t i) {
          to(i) = static_cast<Real>(static_cast<double>(from(along(i))) * unit);
        });
  }
  build_moments(space, cells);

  Decide<Number, order> const decide(cells, of.criterion);
  double const softening = has_size(evaluation.gravity) ? 0.0 : evaluation.gravity.softening;
  auto const softening_squared =
      static_cast<Real>(softening / cells.units.length * (softening / cells.units.length));
  auto& [candidates, far, near, split] = of.chains;
  candidates.start(space, 1, "apsis::forces::fmm::candidates");
  if (candidates.blocks.entries.extent(0) == 0) {
    allocate(space, candidates.blocks.entries, "apsis::forces::fmm::candidates::blocks",
             std::size_t{1});
  }
  Kokkos::deep_copy(space, Kokkos::subview(candidates.of, 0, 0), 0u);
  Kokkos::deep_copy(space, Kokkos::subview(candidates.of, 0, 1), 1u);
  Kokkos::deep_copy(space, Kokkos::subview(candidates.blocks.entries, 0, 0), CellId{1});
  std::pair<Chains*, std::string> lists[] = {{&far, "apsis::forces::fmm::far"},
                                             {&near, "apsis::forces::fmm::near"},
                                             {&split, "apsis::forces::fmm::split"}};
  auto const most_blocks =
      std::min<std::uint64_t>(most_blocks_of_body * bodies + most_blocks_of_body, no_block);
  Fields parents, fields;
  using Dynamic = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<CellId>,
                                      Kokkos::Schedule<Kokkos::Dynamic>>;
  for (int level = 0; level <= division.depth; ++level) {
    CellId const first = CellId{1} << level, count = division.count_at(level);
    // The next level has twice as many targets.
    double const more = level < division.depth ? 2.5 : 1.1;
    for (bool again = true; again;) {
      again = false;
      for (auto& [chains, label] : lists) chains->start(space, count, label);
      Kokkos::parallel_for("apsis::forces::fmm::look_around", Dynamic(space, 0, count),
                           LookAround<Number, order>{decide, first, candidates, far, near, split});
      for (auto& [chains, label] : lists) {
        auto const wanted = chains->wanted(space);
        if (wanted > most_blocks) return false;
        again = !chains->has(space, wanted, more, label) || again;
      }
    }
    std::swap(parents, fields);
    allocate(space, fields, "apsis::forces::fmm::fields", std::size_t{count},
             static_cast<std::size_t>(terms_to(order)));
    Kokkos::parallel_for("apsis::forces::fmm::far_fields", Dynamic(space, 0, count),
                         FarFields<Number, order, lanes_of<Real>>{
                             cells, first, far, softening_squared, parents, fields});
    std::swap(candidates, split);
  }

  auto sorted = evaluation.sources;
  sorted.position = cells.position;
  sorted.mass = cells.mass;
  Targets<Stored> const targets{cells.position, {}, {}, 0, {0, bodies}, {}, bodies};
  Evaluation<Number> const pairs{space, evaluation.gravity, sorted, targets, evaluation.into};
  auto const finish = [&](auto const& law) {
    using Law = std::remove_cvref_t<decltype(law)>;
    constexpr int lanes = lanes_of<Real>;
    Kokkos::parallel_for("apsis::forces::fmm::near_forces",
                         Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>,
                                             Kokkos::Schedule<Kokkos::Dynamic>>(
                             space, 0, (bodies + lanes - 1) / lanes),
                         NearForces<Law, Number, order, lanes>{
                             law, decide, near, candidates, fields, softening_squared,
                             static_cast<double>(static_cast<Stored>(evaluation.gravity.G)), along,
                             evaluation.into.acceleration, evaluation.into.potential});
  };
  if (has_size(evaluation.gravity)) {
    with_law<Number, Compact, Wanted::acceleration, Wanted::both>(pairs, finish);
  } else {
    with_law<Number, Pointlike, Wanted::acceleration, Wanted::both>(pairs, finish);
  }
  return true;
}

}  // namespace apsis::forces::fmm
