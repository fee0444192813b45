// SPDX-License-Identifier: Apache-2.0
#include "neighbours.hpp"

#include "all_pairs.hpp"
#include "batches.hpp"
#include "neighbour_cells.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/core/views.hpp>

namespace apsis::diagnostics {

namespace {

/// Nearest sources so far of a body, or of a pack of bodies, nearest first; sources are added in
/// the order of their indices. All array indices are compile-time constants, so that the arrays
/// stay in registers.
template <class Lanes, int neighbours>
struct NearestLanes {
  static constexpr int last = neighbours - 1;
  Lanes squared[neighbours];  ///< squared distances
  Lanes number[neighbours];   ///< indices, which a double represents exactly

  KOKKOS_FORCEINLINE_FUNCTION NearestLanes() {
    for (int k = 0; k <= last; ++k) {
      squared[k] = Lanes{} + infinity;
      number[k] = Lanes{};
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void insert(Lanes const& r_squared, Lanes const& i) {
    if constexpr (simd::lane_count<double, Lanes> == 1) {
      if (!(r_squared < squared[last])) return;
    }
    APSIS_DEVICE_UNROLL
    for (int k = last; k > 0; --k) {
      // Farther neighbours move back by one; of two at the same distance the first stays first.
      Lanes const shifted_r = r_squared < squared[k] ? r_squared : squared[k];
      Lanes const shifted_i = r_squared < squared[k] ? i : number[k];
      number[k] = r_squared < squared[k - 1] ? number[k - 1] : shifted_i;
      squared[k] = r_squared < squared[k - 1] ? squared[k - 1] : shifted_r;
    }
    number[0] = r_squared < squared[0] ? i : number[0];
    squared[0] = r_squared < squared[0] ? r_squared : squared[0];
  }
  KOKKOS_FORCEINLINE_FUNCTION void add(NearestLanes const& others) {
    for (int k = 0; k <= last; ++k) insert(others.squared[k], others.number[k]);
  }
};

/// Pair law of the tile loop that collects the nearest sources of each target.
template <int neighbours>
struct NearestLaw : DoublePositions {
  using DoublePositions::Source;
  template <class Lanes>
  using Sum = NearestLanes<Lanes, neighbours>;
  template <int lanes>
  using Total = NearestLanes<typename simd::Pack<double, lanes>::type, neighbours>;

  NearestSources<neighbours> nearest;
  std::size_t first = 0;  ///< target of row 0

  NearestLaw starting_at(std::size_t first_target) const {
    auto law = *this;
    law.first = first_target;
    return law;
  }
  KOKKOS_FORCEINLINE_FUNCTION Source source(std::size_t j) const {
    return DoublePositions::source(j, static_cast<double>(j));
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void add(Sum<Lanes>& sum, forces::Point<Lanes> const& target,
                                       Source const& source) const {
    sum.insert(forces::separation(target, source, 0.0).squared, Lanes{} + source.m);
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void add_excluding_self(Sum<Lanes>& sum,
                                                      forces::Point<Lanes> const& target,
                                                      Source const& source,
                                                      std::ptrdiff_t self) const {
    Lanes squared = forces::separation(target, source, 0.0).squared;
    this->exclude_self(squared, self);
    sum.insert(squared, Lanes{} + source.m);
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void store(std::size_t row,
                                         NearestLanes<Lanes, neighbours> const& total,
                                         int lane) const {
    for (int k = 0; k < neighbours; ++k) {
      nearest.index(first + row, k) =
          static_cast<std::uint32_t>(simd::lane<double>(total.number[k], lane));
      nearest.squared(first + row, k) = simd::lane<double>(total.squared[k], lane);
    }
  }
};

/// Searches the cells for the nearest sources: of the sources in their order, then of the other
/// targets.
template <int neighbours>
struct SearchCells {
  NeighbourCells cells;
  ReadColumns position;
  NearestSources<neighbours> nearest;
  std::size_t first;  ///< place of the target of row 0

  KOKKOS_FUNCTION void operator()(std::size_t row_of_batch) const {
    std::size_t const place = first + row_of_batch;
    std::size_t const target = place < cells.tree.bodies ? std::size_t{cells.order(place)} : place;
    auto const r = row(position, target);
    auto const list = cells.template search<neighbours>({r.x, r.y, r.z}, place);
    for (int k = 0; k < neighbours; ++k) {
      nearest.index(target, k) = list.index[k];
      nearest.squared(target, k) = list.squared[k];
    }
  }
};

}  // namespace

template <int neighbours>
NearestSources<neighbours> nearest_sources(ExecutionSpace const& space, std::string const& label,
                                           ReadColumns const& position, std::size_t sources,
                                           Poll const& poll, NeighbourSearch search) {
  std::size_t const targets = position.size();
  NearestSources<neighbours> nearest;
  nearest.index = uninitialised<decltype(nearest.index)>(space, label + "::index", targets);
  nearest.squared = uninitialised<decltype(nearest.squared)>(space, label + "::squared", targets);
  bool const in_cells = search == NeighbourSearch::cells ||
                        (search == NeighbourSearch::by_size && sources >= neighbour_cells_from &&
                         sources < forces::fmm::max_bodies);
  if (!in_cells) {
    sweep_pairs<1>(space, label, NearestLaw<neighbours>{{position}, nearest}, sources, targets,
                   poll);
    return nearest;
  }
  auto const cells = build_neighbour_cells(space, position, sources);
  constexpr std::size_t first_batch = 1024;
  launch_in_batches(
      space, label, targets, first_batch, 1, poll, [&](std::size_t first, std::size_t count) {
        for_each(space, label, count, SearchCells<neighbours>{cells, position, nearest, first});
      });
  space.fence(label + ": the cells are freed");
  return nearest;
}

template NearestSources<1> nearest_sources(ExecutionSpace const&, std::string const&,
                                           ReadColumns const&, std::size_t, Poll const&,
                                           NeighbourSearch);
template NearestSources<6> nearest_sources(ExecutionSpace const&, std::string const&,
                                           ReadColumns const&, std::size_t, Poll const&,
                                           NeighbourSearch);

}  // namespace apsis::diagnostics
