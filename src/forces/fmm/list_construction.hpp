// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cells.hpp"
#include "interaction_lists.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace apsis::forces::fmm {

/// When the host checks whether the lists fitted into their blocks.
enum class ListCheck {
  after_each,  ///< after each construction, which is repeated with more blocks if necessary
  at_end       ///< once per sweep, with ListConstruction::status()
};

enum class ListStatus { complete, out_of_blocks, too_long };

/// Constructs the far, near and split lists of one batch of targets after the other. Each
/// construction overwrites the lists of the previous one; the memory is kept between sweeps.
class ListConstruction {
 private:
  // Must precede its first use: nvcc does not deduce the return type of a later function.
  auto counters_of(std::size_t first, std::size_t end) const {
    return Kokkos::subview(counters_, std::pair(first, end), Kokkos::ALL);
  }

 public:
  InteractionLists const& far() const { return lists_[0]; }
  InteractionLists const& near() const { return lists_[1]; }
  InteractionLists const& split() const { return lists_[2]; }

  /// Begins a sweep: forgets the constructions of the previous one.
  void begin_sweep(ListCheck check) {
    check_ = check;
    records_.clear();
  }
  /// Allocates and clears the counters of a sweep with at most `max_count` constructions.
  void reset_counters(ExecutionSpace const& space, std::size_t max_count) {
    grow(space, counters_, "apsis::forces::fmm::block_usage", max_count);
    Kokkos::deep_copy(space, counters_, std::uint64_t{0});
  }

  /// Constructs `rows` lists of each kind: `build()` launches the kernel that writes far(), near()
  /// and split(). With ListCheck::after_each it is repeated with `growth` times the requested
  /// blocks if blocks were missing. Returns false if the host checked and a list exceeded its
  /// limit. Precondition: fewer constructions since reset_counters() than its `max_count`.
  template <class Build>
  bool construct(ExecutionSpace const& space, std::size_t rows, double growth, Build const& build) {
    std::size_t const number = records_.size();
    records_.push_back({rows, {}});
    while (true) {
      for (std::size_t kind = 0; kind < kinds; ++kind) {
        auto& list = lists_[kind];
        list.prepare(space, rows, labels[kind], block_usage(number, kind));
        records_[number].blocks[kind] = list.blocks.entries.extent(0);
      }
      build();
      if (check_ == ListCheck::at_end) return true;
      auto const counters = read_counters(space, number, number + 1);
      bool fits = true;
      for (std::size_t kind = 0; kind < kinds; ++kind) {
        auto const usage = usage_of(counters, 0, kind);
        if (usage.is_too_long) return false;
        fits &=
            lists_[kind].ensure_blocks(space, rows + usage.further_blocks, growth, labels[kind]);
      }
      if (fits) return true;
      Kokkos::deep_copy(space, counters_of(number, number + 1), std::uint64_t{0});
    }
  }

  /// Checks all lists of a sweep with ListCheck::at_end. Fences.
  ListStatus status(ExecutionSpace const& space) const {
    if (records_.empty()) return ListStatus::complete;
    auto const counters = read_counters(space, 0, records_.size());
    for (std::size_t number = 0; number < records_.size(); ++number) {
      auto const& record = records_[number];
      for (std::size_t kind = 0; kind < kinds; ++kind) {
        auto const usage = usage_of(counters, number, kind);
        // If a list was truncated, later constructions had incomplete candidates, and the lengths
        // of their lists mean nothing.
        if (record.rows + usage.further_blocks > record.blocks[kind])
          return ListStatus::out_of_blocks;
        if (usage.is_too_long) return ListStatus::too_long;
      }
    }
    return ListStatus::complete;
  }

  /// Makes the split lists the candidates of the next level, and reuses the memory of `candidates`.
  void swap_split(InteractionLists& candidates) { std::swap(lists_[2], candidates); }

 private:
  static constexpr std::size_t kinds = 3;
  static constexpr char const* labels[kinds] = {
      "apsis::forces::fmm::far", "apsis::forces::fmm::near", "apsis::forces::fmm::split"};

  /// Rows of one construction, and the allocated blocks of each kind of list.
  struct Record {
    std::size_t rows;
    std::size_t blocks[kinds];
  };
  /// Usage of blocks by the lists of one kind in one construction.
  struct Usage {
    std::uint64_t further_blocks;
    bool is_too_long;
  };
  /// One row for each construction: the two counters of BlockUsage for each kind of list.
  static constexpr std::size_t columns = 2 * kinds;
  using Counters = Kokkos::View<std::uint64_t* [columns], Kokkos::LayoutRight, MemorySpace>;
  using HostCounters =
      Kokkos::View<std::uint64_t* [columns], Kokkos::LayoutRight, Kokkos::HostSpace>;

  BlockUsage block_usage(std::size_t number, std::size_t kind) const {
    return BlockUsage(counters_.data() + number * columns + 2 * kind);
  }
  static Usage usage_of(HostCounters const& counters, std::size_t row, std::size_t kind) {
    return {counters(row, 2 * kind), counters(row, 2 * kind + 1) != 0};
  }
  HostCounters read_counters(ExecutionSpace const& space, std::size_t first,
                             std::size_t end) const {
    HostCounters const counters(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "apsis::forces::fmm::block_usage"),
        end - first);
    Kokkos::deep_copy(space, counters, counters_of(first, end));
    space.fence("apsis::forces::fmm: the host reads the block usage");
    return counters;
  }

  InteractionLists lists_[kinds];  ///< far, near, split
  std::vector<Record> records_;    ///< of this sweep
  Counters counters_;
  ListCheck check_ = ListCheck::after_each;
};

}  // namespace apsis::forces::fmm
