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
/// blocks. Which block a list gets depends on who came first; what stands in the list does not.
namespace apsis::forces::fmm {

constexpr std::uint32_t no_block = ~std::uint32_t{0};

struct Blocks {
  static constexpr int size = 31;  ///< entries of a block; behind them stands the next block
  Kokkos::View<CellId * [size + 1], Kokkos::LayoutRight, MemorySpace> entries;
  /// Blocks that were asked for, whether they are there or not; lists that are too long.
  Kokkos::View<std::uint64_t[2], MemorySpace> used;
};

/// The lists of some targets.
struct Chains {
  Kokkos::View<std::uint32_t* [2], Kokkos::LayoutRight, MemorySpace> of;  ///< first block, length
  Blocks blocks;

  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t count(std::size_t list) const { return of(list, 1); }

  /// Room for so many lists, with what blocks there are.
  void start(ExecutionSpace const& space, std::size_t lists, std::string const& label) {
    if (of.extent(0) < lists) {
      of = {};
      of = decltype(of)(Kokkos::view_alloc(space, Kokkos::WithoutInitializing, label), lists);
    }
    if (!blocks.used.is_allocated()) {
      blocks.used = decltype(blocks.used)(Kokkos::view_alloc(space, label + "::used"));
    }
    Kokkos::deep_copy(space, blocks.used, std::uint64_t{0});
  }
  struct Used {
    std::uint64_t blocks;  ///< that were asked for
    std::uint64_t too_long;
  };
  /// Fences.
  Used used(ExecutionSpace const& space) const {
    std::uint64_t counts[2] = {};
    Kokkos::deep_copy(space, Kokkos::View<std::uint64_t[2], Kokkos::HostSpace>(counts),
                      blocks.used);
    space.fence("apsis::forces::fmm::chains: the host looks whether there were enough blocks");
    return {counts[0], counts[1]};
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

/// Writes one list.
class ChainWriter {
 public:
  /// `most`: entries that a list may have.
  KOKKOS_FORCEINLINE_FUNCTION ChainWriter(Blocks const& blocks, std::uint32_t most)
      : blocks_(blocks), most_(most) {}

  /// Of 16 cells in a row those of some lanes.
  KOKKOS_FORCEINLINE_FUNCTION void push(CellId const* cells, LaneMask lanes) {
    while (lanes != 0 && count_ <= most_) {
      if (place_ == Blocks::size) begin_block();
      int const all = Kokkos::popcount(lanes), room = Blocks::size - place_;
      LaneMask const now = all <= room ? lanes : first_of(lanes, room);
      if (block_ != no_block) pick(cells, now, &blocks_.entries(block_, place_));
      int const count = all <= room ? all : room;
      place_ += count;
      count_ += static_cast<std::uint32_t>(count);
      lanes &= ~now;
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(Chains const& chains, std::size_t list) const {
    chains.of(list, 0) = first_;
    chains.of(list, 1) = count_;
    if (count_ > most_) Kokkos::atomic_store(&blocks_.used(1), std::uint64_t{1});
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void begin_block() {
    std::uint64_t const asked = Kokkos::atomic_fetch_add(&blocks_.used(0), std::uint64_t{1});
    std::uint32_t const next =
        asked < blocks_.entries.extent(0) ? static_cast<std::uint32_t>(asked) : no_block;
    if (count_ == 0) {
      first_ = next;
    } else if (block_ != no_block) {
      blocks_.entries(block_, Blocks::size) = next;
    }
    block_ = next;
    place_ = 0;
  }

  Blocks const& blocks_;
  std::uint32_t most_;
  std::uint32_t first_ = no_block, block_ = no_block, count_ = 0;
  int place_ = Blocks::size;
};

/// Reads one list from its beginning, no further than its length.
class ChainReader {
 public:
  KOKKOS_FORCEINLINE_FUNCTION ChainReader(Chains const& chains, std::size_t list)
      : blocks_(chains.blocks), block_(chains.of(list, 0)) {}

  KOKKOS_FORCEINLINE_FUNCTION CellId next() {
    if (place_ == Blocks::size) {
      block_ = blocks_.entries(block_, Blocks::size);
      place_ = 0;
    }
    return blocks_.entries(block_, place_++);
  }

 private:
  Blocks const& blocks_;
  std::uint32_t block_;
  int place_ = 0;
};

}  // namespace apsis::forces::fmm
