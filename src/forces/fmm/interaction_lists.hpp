// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forces/fmm/tree/cell_tree.hpp"
#include "lanes/lane_mask.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/core/views.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// Interaction lists: linked blocks of entries, because they are written in one pass, before their
/// lengths are known. The first block of a list has the number of the list. Further blocks are
/// assigned in order of arrival; the contents of a list do not depend on that order.
///
///     blocks     0  1  2  | 3  4
///     list 0     0 -------> 4         more than `size` entries: a further block
///     list 1        1 ----> 3
///     list 2           2              at most `size` entries
namespace apsis::forces::fmm {

constexpr std::uint32_t no_block = ~std::uint32_t{0};

/// Counters: [0] further blocks that lists requested, available or not; [1] nonzero if a list was
/// too long.
using BlockUsage = Kokkos::View<std::uint64_t[2], MemorySpace, Kokkos::MemoryUnmanaged>;

/// Memory of the blocks of some lists.
struct ListBlocks {
  /// Entries per block, followed by the number of the next block. A host has fewer and longer
  /// lists, and its threads wait longer for the next block.
  static constexpr int size = by_backend(63, 31);
  Kokkos::View<CellId * [size + 1], Kokkos::LayoutRight, MemorySpace> entries;
  BlockUsage usage;
};

/// The interaction lists of one kind for some targets.
struct InteractionLists {
  Kokkos::View<std::uint32_t*, MemorySpace> counts;
  ListBlocks blocks;

  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t count(std::size_t list) const { return counts(list); }

  /// Allocates a count and a first block for each of `list_count` lists, unless there is memory for
  /// them. The contents are undefined afterwards.
  void prepare(ExecutionSpace const& space, std::size_t list_count, std::string const& label,
               BlockUsage const& usage) {
    blocks.usage = usage;
    grow(space, counts, label, list_count);
    ensure_blocks(space, list_count, 1.0, label);
  }
  /// Returns true if at least `count` blocks are allocated. Otherwise allocates `factor` times as
  /// many, with undefined contents, and returns false.
  bool ensure_blocks(ExecutionSpace const& space, std::uint64_t count, double factor,
                     std::string const& label) {
    if (count <= blocks.entries.extent(0)) return true;
    fit(space, blocks.entries, label + "::blocks",
        std::min<std::size_t>(static_cast<std::size_t>(factor * static_cast<double>(count)),
                              no_block));
    return false;
  }
};

/// Writes list 0: `count` consecutive cells from `first` on.
struct ListConsecutive {
  InteractionLists lists;
  CellId first, count;

  KOKKOS_FUNCTION void operator()(CellId k) const {
    constexpr CellId size = ListBlocks::size;
    if (k == 0) lists.counts(0) = count;
    lists.blocks.entries(k / size, k % size) = first + k;
    lists.blocks.entries(k / size, size) = k / size + 1;
  }
};

/// Writes one list with a group of lanes.
template <class Group>
class ListWriter {
 public:
  /// `list_count`: number of lists that share the blocks. `limit`: largest allowed number of
  /// entries.
  KOKKOS_FORCEINLINE_FUNCTION ListWriter(Group const& group, InteractionLists const& lists,
                                         std::size_t list_count, std::size_t list,
                                         std::uint32_t limit)
      : group_(group),
        lists_(lists),
        list_count_(list_count),
        list_(list),
        limit_(limit),
        block_(static_cast<std::uint32_t>(list)) {}

  /// Appends the cells or bodies in these lanes.
  KOKKOS_FORCEINLINE_FUNCTION void push(typename Group::Numbers const& cells, LaneMask lanes) {
    while (lanes != 0 && pushed_ <= limit_) {
      if (position_ == ListBlocks::size) begin_block();
      int const lane_count = Kokkos::popcount(lanes), free = ListBlocks::size - position_;
      LaneMask const fitting_lanes = lane_count <= free ? lanes : first_of(lanes, free);
      if (block_ != no_block)
        group_.pick(cells, fitting_lanes, &lists_.blocks.entries(block_, position_));
      auto const count = static_cast<std::uint32_t>(lane_count <= free ? lane_count : free);
      position_ += static_cast<int>(count);
      pushed_ += count;
      if (block_ != no_block) stored_ += count;
      lanes &= ~fitting_lanes;
    }
  }
  /// Stores the number of entries. If blocks were missing, the list is truncated.
  KOKKOS_FORCEINLINE_FUNCTION void finish() const {
    if (!group_.leads()) return;
    lists_.counts(list_) = stored_;
    if (pushed_ > limit_) Kokkos::atomic_store(&lists_.blocks.usage(1), std::uint64_t{1});
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void begin_block() {
    auto const& blocks = lists_.blocks;
    std::uint64_t requested = 0;
    if (group_.leads()) requested = Kokkos::atomic_fetch_add(&blocks.usage(0), std::uint64_t{1});
    requested = list_count_ + group_.broadcast(requested);
    std::uint32_t const next =
        requested < blocks.entries.extent(0) ? static_cast<std::uint32_t>(requested) : no_block;
    if (block_ != no_block && group_.leads()) blocks.entries(block_, ListBlocks::size) = next;
    block_ = next;
    position_ = 0;
  }

  Group const& group_;
  InteractionLists const& lists_;
  std::size_t list_count_, list_;
  std::uint32_t limit_, block_, pushed_ = 0, stored_ = 0;
  int position_ = 0;
};

/// Reads `list_count` consecutive lists with a group of lanes.
template <class Group>
class ListReader {
 public:
  KOKKOS_FORCEINLINE_FUNCTION ListReader(Group const& group, InteractionLists const& lists,
                                         std::size_t list, int list_count = 1)
      : group_(&group), lists_(&lists), next_list_(list), lists_left_(list_count) {}

  /// Reads the next entries, at most `limit`, which is at most Group::width. Returns their number,
  /// 0 at the end.
  KOKKOS_FORCEINLINE_FUNCTION int read(CellId* entries, int limit) {
    int count_read = 0;
    while (count_read < limit && has_entry()) {
      int const left = block_entries_ - position_;
      int const count = limit - count_read < left ? limit - count_read : left;
      CellId const* const source = &lists_->blocks.entries(block_, position_);
      group_->each(count, [&](int k) { entries[count_read + k] = source[k]; });
      count_read += count;
      position_ += count;
    }
    return count_read;
  }

  /// Reads the next entries, at most `Group::width`, through a `buffer` of that size. Returns their
  /// number, 0 at the end.
  KOKKOS_FORCEINLINE_FUNCTION int read(typename Group::Numbers& cells, CellId* buffer) {
    group_->sync();
    int const count = read(buffer, Group::width);
    group_->sync();
    if (count > 0) cells = group_->load(buffer, count);
    return count;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION bool has_entry() {
    while (position_ == block_entries_) {
      if (remaining_ > 0) {
        block_ = lists_->blocks.entries(block_, ListBlocks::size);
      } else {
        if (lists_left_ == 0) return false;
        --lists_left_;
        block_ = static_cast<std::uint32_t>(next_list_);
        remaining_ = lists_->count(next_list_++);
        if (remaining_ == 0) continue;
      }
      block_entries_ =
          remaining_ < ListBlocks::size ? static_cast<int>(remaining_) : ListBlocks::size;
      remaining_ -= static_cast<std::uint32_t>(block_entries_);
      position_ = 0;
    }
    return true;
  }

  Group const* group_;
  InteractionLists const* lists_;
  std::size_t next_list_;
  int lists_left_;
  std::uint32_t block_ = 0;      ///< current block
  int position_ = 0;             ///< position in the current block
  int block_entries_ = 0;        ///< entries in the current block
  std::uint32_t remaining_ = 0;  ///< entries of the list in later blocks
};

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
