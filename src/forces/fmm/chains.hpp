// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "division.hpp"
#include <apsis/core/execution.hpp>

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
  /// Blocks that were asked for, whether they are there or not.
  Kokkos::View<std::uint64_t, MemorySpace> used;
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
  /// Blocks that were asked for. Fences.
  std::uint64_t wanted(ExecutionSpace const& space) const {
    std::uint64_t count = 0;
    Kokkos::deep_copy(space, Kokkos::View<std::uint64_t, Kokkos::HostSpace>(&count), blocks.used);
    space.fence("apsis::forces::fmm::chains: the host looks whether there were enough blocks");
    return count;
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
  KOKKOS_FORCEINLINE_FUNCTION explicit ChainWriter(Blocks const& blocks) : blocks_(blocks) {}

  KOKKOS_FORCEINLINE_FUNCTION void push(CellId cell) {
    if (place_ == Blocks::size) {
      std::uint64_t const asked = Kokkos::atomic_fetch_add(&blocks_.used(), std::uint64_t{1});
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
    if (block_ != no_block) blocks_.entries(block_, place_) = cell;
    ++place_;
    ++count_;
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(Chains const& chains, std::size_t list) const {
    chains.of(list, 0) = first_;
    chains.of(list, 1) = count_;
  }

 private:
  Blocks const& blocks_;
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
