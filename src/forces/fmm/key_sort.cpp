// SPDX-License-Identifier: Apache-2.0
#include "key_sort.hpp"

#include "cells.hpp"
#include <apsis/core/error.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#if defined(KOKKOS_ENABLE_CUDA)
#include <cub/device/device_radix_sort.cuh>
#elif defined(KOKKOS_ENABLE_HIP)
#include <Kokkos_Sort.hpp>
#endif

namespace apsis::forces::fmm {

namespace {

#if defined(KOKKOS_ENABLE_CUDA)

/// A radix sort, which keeps equal keys in their order.
void sort_by_cub(ExecutionSpace const& space, KeyedBodies::Keys& keys,
                 KeyedBodies::Keys& spare_keys, BodyOrder& order, BodyOrder& spare_order,
                 Kokkos::View<std::byte*, MemorySpace>& room) {
  cub::DoubleBuffer<std::uint64_t> of_keys(keys.data(), spare_keys.data());
  cub::DoubleBuffer<std::uint32_t> of_bodies(order.data(), spare_order.data());
  auto const sort = [&](void* at, std::size_t& bytes) {
    auto const error = cub::DeviceRadixSort::SortPairs(
        at, bytes, of_keys, of_bodies, static_cast<std::int64_t>(keys.extent(0)), 0,
        static_cast<int>(8 * sizeof(std::uint64_t)), space.cuda_stream());
    if (error != cudaSuccess) {
      throw Error(ExitStatus::internal, {"forces", "the GPU could not sort the bodies",
                                         cudaGetErrorString(error), "report this"});
    }
  };
  std::size_t bytes = 0;
  sort(nullptr, bytes);
  if (room.extent(0) < bytes) {
    room = {};
    allocate(space, room, "apsis::forces::fmm::curve_order::room", bytes);
  }
  sort(room.data(), bytes);
  if (of_keys.Current() != keys.data()) std::swap(keys, spare_keys);
  if (of_bodies.Current() != order.data()) std::swap(order, spare_order);
}

#elif !defined(KOKKOS_ENABLE_HIP)

/// Sorts bodies by their keys on a host, in a block of them for each thread.
class HostSort {
 public:
  HostSort(KeyedBodies::Keys& keys, KeyedBodies::Keys& spare_keys, BodyOrder& order,
           BodyOrder& spare_order)
      : keys_(keys),
        spare_keys_(spare_keys),
        order_(order),
        spare_order_(spare_order),
        places_(static_cast<std::size_t>(Host().concurrency())) {}

  /// Where the higher bits tell nearly all apart, which is usual, the lower ones are looked at
  /// where they are needed alone. The outcome is the same.
  void run() {
    pass_from(low_bits);
    if (!finish_runs()) pass_from(0);
  }

 private:
  using Host = Kokkos::DefaultHostExecutionSpace;
  static constexpr int bits = 11, low_bits = 20;
  static constexpr std::size_t values = std::size_t{1} << bits;
  /// Bodies alike in the higher bits that are sorted by comparing.
  static constexpr std::size_t longest_run = 48;

  /// act(block, the first of its bodies, the one behind the last).
  template <class Act>
  void each_block(Act const& act) const {
    std::size_t const blocks = places_.size(), bodies = keys_.extent(0);
    Kokkos::parallel_for("apsis::forces::fmm::curve_order::sort",
                         Kokkos::RangePolicy<Host, Kokkos::IndexType<std::size_t> >(0, blocks),
                         [&](std::size_t block) {
                           act(block, bodies * block / blocks, bodies * (block + 1) / blocks);
                         });
    Kokkos::fence("apsis::forces::fmm::curve_order: all blocks are counted, or sorted");
  }

  /// A radix sort by eleven bits after the other from bit `low` on: each pass keeps the order of
  /// those whose bits are equal. Each block of bodies counts its own, so that it knows where they
  /// go.
  void pass_from(int low) {
    std::size_t const bodies = keys_.extent(0);
    for (; low < 64; low += bits) {
      auto const value = [low](std::uint64_t key) { return key >> low & (values - 1); };
      each_block([&](std::size_t block, std::size_t begin, std::size_t end) {
        auto const* const of = keys_.data();
        auto& count = places_[block];
        count.fill(0);
        for (std::size_t i = begin; i < end; ++i) ++count[value(of[i])];
      });
      std::size_t behind = 0, most = 0;
      for (std::size_t v = 0; v < values; ++v) {
        std::size_t const first = behind;
        for (auto& of : places_) behind += std::exchange(of[v], behind);
        most = std::max(most, behind - first);
      }
      if (most == bodies) continue;
      each_block([&](std::size_t block, std::size_t begin, std::size_t end) {
        auto& place = places_[block];
        auto const* const from_keys = keys_.data();
        auto const* const from_order = order_.data();
        auto* const to_keys = spare_keys_.data();
        auto* const to_order = spare_order_.data();
        for (std::size_t i = begin; i < end; ++i) {
          std::size_t const to = place[value(from_keys[i])]++;
          to_keys[to] = from_keys[i];
          to_order[to] = from_order[i];
        }
      });
      std::swap(keys_, spare_keys_);
      std::swap(order_, spare_order_);
    }
  }

  /// Sorts those in a row that are alike in the higher bits. Returns whether none are too many.
  bool finish_runs() {
    std::size_t const blocks = places_.size(), bodies = keys_.extent(0);
    auto const continues = [&](std::size_t i) {
      return i > 0 && i < bodies && keys_(i) >> low_bits == keys_(i - 1) >> low_bits;
    };
    // A run belongs to the block in which it begins: known before anything moves.
    std::vector<std::size_t> firsts(blocks + 1, bodies);
    each_block([&](std::size_t block, std::size_t begin, std::size_t) {
      while (continues(begin)) ++begin;
      firsts[block] = begin;
    });
    std::atomic<bool> all_are_short = true;
    each_block([&](std::size_t block, std::size_t, std::size_t) {
      auto* const keys = keys_.data();
      auto* const order = order_.data();
      std::size_t const end = firsts[block + 1];
      for (std::size_t begin = firsts[block], i = begin + 1; i < end && all_are_short; ++i) {
        if (keys[i] >> low_bits != keys[begin] >> low_bits) begin = i;
        if (i - begin >= longest_run) all_are_short = false;
        auto const key = keys[i];
        auto const body = order[i];
        std::size_t to = i;
        for (; to > begin && keys[to - 1] > key; --to) {
          keys[to] = keys[to - 1];
          order[to] = order[to - 1];
        }
        keys[to] = key;
        order[to] = body;
      }
    });
    return all_are_short;
  }

  KeyedBodies::Keys &keys_, &spare_keys_;
  BodyOrder &order_, &spare_order_;
  std::vector<std::array<std::size_t, values> > places_;  ///< of each block
};

#endif

}  // namespace

void KeyedBodies::resize(ExecutionSpace const& space, std::size_t bodies) {
  allocate(space, keys, "apsis::forces::fmm::curve_order::keys", bodies);
  allocate(space, order, "apsis::forces::fmm::curve_order", bodies);
#if !defined(KOKKOS_ENABLE_HIP)
  allocate(space, spare_keys_, "apsis::forces::fmm::curve_order::keys", bodies);
  allocate(space, spare_order_, "apsis::forces::fmm::curve_order", bodies);
#endif
}

void KeyedBodies::sort(ExecutionSpace const& space) {
  // What a vendor's sort launches has other labels.
  Kokkos::Profiling::ScopedRegion const region("apsis::forces::fmm::curve_order::sort");
#if defined(KOKKOS_ENABLE_CUDA)
  sort_by_cub(space, keys, spare_keys_, order, spare_order_, room_);
#elif defined(KOKKOS_ENABLE_HIP)
  // A radix sort, which keeps equal keys in their order.
  Kokkos::Experimental::sort_by_key(space, keys, order);
#else
  space.fence("apsis::forces::fmm::curve_order: the host sorts keys");
  HostSort(keys, spare_keys_, order, spare_order_).run();
#endif
}

}  // namespace apsis::forces::fmm
