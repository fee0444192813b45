// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "division.hpp"
#include <apsis/core/execution.hpp>
#include <apsis/core/lane_mask.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

/// Lists of cells that are written in one pass, of lengths that nobody knows before: chains of
/// blocks. The first block of a list has its number. Which blocks follow depends on who came first;
/// what stands in the list does not.
namespace apsis::forces::fmm {

constexpr std::uint32_t no_block = ~std::uint32_t{0};

/// Blocks that lists asked for behind their first ones, whether they are there or not; lists that
/// are too long.
using BlocksUsed = Kokkos::View<std::uint64_t[2], MemorySpace, Kokkos::MemoryUnmanaged>;

struct Blocks {
  /// Entries of a block, behind which stands the next block. A host has fewer and longer lists, and
  /// its threads wait longer for the next block.
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
  static constexpr int size = 31;
#else
  static constexpr int size = 63;
#endif
  Kokkos::View<CellId * [size + 1], Kokkos::LayoutRight, MemorySpace> entries;
  BlocksUsed used;
};

/// The lists of some targets.
struct Chains {
  Kokkos::View<std::uint32_t*, MemorySpace> counts;
  Blocks blocks;

  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t count(std::size_t list) const { return counts(list); }

  /// Room for so many lists, with what blocks there are.
  void start(ExecutionSpace const& space, std::size_t lists, std::string const& label,
             BlocksUsed const& used) {
    blocks.used = used;
    if (counts.extent(0) < lists) {
      counts = {};
      counts =
          decltype(counts)(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, label), lists);
    }
    has(space, lists, 1.0, label);
  }
  /// Whether so many blocks are there; otherwise `more` times as many are now.
  bool has(ExecutionSpace const& space, std::uint64_t count, double more,
           std::string const& label) {
    if (count <= blocks.entries.extent(0)) return true;
    blocks.entries = {};
    blocks.entries = decltype(blocks.entries)(
        Kokkos::view_alloc(space, Kokkos::WithoutInitializing, label + "::blocks"),
        std::min<std::size_t>(static_cast<std::size_t>(more * static_cast<double>(count)),
                              no_block));
    return false;
  }
};

/// The first list: so many cells that follow each other.
struct ListAll {
  Chains chains;
  CellId first, count;

  KOKKOS_FUNCTION void operator()(CellId k) const {
    constexpr CellId size = Blocks::size;
    if (k == 0) chains.counts(0) = count;
    chains.blocks.entries(k / size, k % size) = first + k;
    chains.blocks.entries(k / size, size) = k / size + 1;
  }
};

/// Writes one list, by some lanes.
template <class Group>
class ChainWriter {
 public:
  /// `lists`: that share the blocks. `most`: entries that a list may have.
  KOKKOS_FORCEINLINE_FUNCTION ChainWriter(Group const& group, Chains const& chains,
                                          std::size_t lists, std::size_t list, std::uint32_t most)
      : group_(group),
        chains_(chains),
        lists_(lists),
        list_(list),
        most_(most),
        block_(static_cast<std::uint32_t>(list)) {}

  KOKKOS_FORCEINLINE_FUNCTION void push(typename Group::Numbers const& cells, LaneMask lanes) {
    while (lanes != 0 && count_ <= most_) {
      if (place_ == Blocks::size) begin_block();
      int const all = Kokkos::popcount(lanes), room = Blocks::size - place_;
      LaneMask const now = all <= room ? lanes : first_of(lanes, room);
      if (block_ != no_block) group_.pick(cells, now, &chains_.blocks.entries(block_, place_));
      auto const count = static_cast<std::uint32_t>(all <= room ? all : room);
      place_ += static_cast<int>(count);
      count_ += count;
      if (block_ != no_block) kept_ += count;
      lanes &= ~now;
    }
  }
  /// Where there was no room the list ends earlier.
  KOKKOS_FORCEINLINE_FUNCTION void finish() const {
    if (!group_.leads()) return;
    chains_.counts(list_) = kept_;
    if (count_ > most_) Kokkos::atomic_store(&chains_.blocks.used(1), std::uint64_t{1});
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void begin_block() {
    auto const& blocks = chains_.blocks;
    std::uint64_t asked = 0;
    if (group_.leads()) asked = Kokkos::atomic_fetch_add(&blocks.used(0), std::uint64_t{1});
    asked = lists_ + group_.broadcast(asked);
    std::uint32_t const next =
        asked < blocks.entries.extent(0) ? static_cast<std::uint32_t>(asked) : no_block;
    if (block_ != no_block && group_.leads()) blocks.entries(block_, Blocks::size) = next;
    block_ = next;
    place_ = 0;
  }

  Group const& group_;
  Chains const& chains_;
  std::size_t lists_, list_;
  std::uint32_t most_, block_, count_ = 0, kept_ = 0;
  int place_ = 0;
};

/// Reads lists from the beginning of the first to the end of the last, by some lanes.
template <class Group>
class ChainReader {
 public:
  KOKKOS_FORCEINLINE_FUNCTION ChainReader(Group const& group, Chains const& chains,
                                          std::size_t list, int lists = 1)
      : group_(&group), chains_(&chains), next_list_(list), lists_left_(lists) {}

  /// The next ones, `most` (no more than lanes) unless fewer are left. Returns how many they are.
  KOKKOS_FORCEINLINE_FUNCTION int take(CellId* to, int most) {
    int taken = 0;
    while (taken < most && stands_at_one()) {
      int const left = in_block_ - place_;
      int const count = most - taken < left ? most - taken : left;
      CellId const* const from = &chains_->blocks.entries(block_, place_);
      group_->each(count, [&](int k) { to[taken + k] = from[k]; });
      taken += count;
      place_ += count;
    }
    return taken;
  }

  /// The next `Group::width`, or those that are left: `room` is for as many. 0 at the end.
  KOKKOS_FORCEINLINE_FUNCTION int take(typename Group::Numbers& cells, CellId* room) {
    group_->sync();
    int const count = take(room, Group::width);
    group_->sync();
    if (count > 0) cells = group_->load(room, count);
    return count;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION bool stands_at_one() {
    while (place_ == in_block_) {
      if (behind_ > 0) {
        block_ = chains_->blocks.entries(block_, Blocks::size);
      } else {
        if (lists_left_ == 0) return false;
        --lists_left_;
        block_ = static_cast<std::uint32_t>(next_list_);
        behind_ = chains_->count(next_list_++);
        if (behind_ == 0) continue;
      }
      in_block_ = behind_ < Blocks::size ? static_cast<int>(behind_) : Blocks::size;
      behind_ -= static_cast<std::uint32_t>(in_block_);
      place_ = 0;
    }
    return true;
  }

  Group const* group_;
  Chains const* chains_;
  std::size_t next_list_;
  int lists_left_;
  std::uint32_t block_ = 0;   ///< that is read,
  int place_ = 0;             ///< from here on
  int in_block_ = 0;          ///< entries
  std::uint32_t behind_ = 0;  ///< entries of the list
};

}  // namespace apsis::forces::fmm
