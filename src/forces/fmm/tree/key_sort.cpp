// SPDX-License-Identifier: Apache-2.0
#include "key_sort.hpp"

#include <apsis/core/backend.hpp>
#include <apsis/core/error.hpp>
#include <apsis/core/views.hpp>

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

/// Stable radix sort.
void sort_keys(ExecutionSpace const& space, KeyedBodies::Keys& keys, KeyedBodies::Keys& target_keys,
               BodyOrder& order, BodyOrder& target_order,
               Kokkos::View<std::byte*, MemorySpace>& scratch) {
  cub::DoubleBuffer<std::uint64_t> key_buffer(keys.data(), target_keys.data());
  cub::DoubleBuffer<std::uint32_t> order_buffer(order.data(), target_order.data());
  auto const sort = [&](void* memory, std::size_t& bytes) {
    auto const error = cub::DeviceRadixSort::SortPairs(
        memory, bytes, key_buffer, order_buffer, static_cast<std::int64_t>(keys.extent(0)), 0,
        static_cast<int>(8 * sizeof(std::uint64_t)), space.cuda_stream());
    if (error != cudaSuccess) {
      throw Error(ExitStatus::internal, {"forces", "the GPU could not sort the bodies",
                                         cudaGetErrorString(error), "report this"});
    }
  };
  std::size_t bytes = 0;
  sort(nullptr, bytes);
  grow(space, scratch, "apsis::forces::fmm::curve_order::scratch", bytes);
  sort(scratch.data(), bytes);
  if (key_buffer.Current() != keys.data()) std::swap(keys, target_keys);
  if (order_buffer.Current() != order.data()) std::swap(order, target_order);
}

#elif defined(KOKKOS_ENABLE_HIP)

/// Stable radix sort. Needs no memory of the caller.
void sort_keys(ExecutionSpace const& space, KeyedBodies::Keys& keys, KeyedBodies::Keys&,
               BodyOrder& order, BodyOrder&, Kokkos::View<std::byte*, MemorySpace>&) {
  Kokkos::Experimental::sort_by_key(space, keys, order);
}

#else

/// Sorts bodies by their keys on a host, one block of bodies per thread.
class HostSort {
 public:
  HostSort(KeyedBodies::Keys& keys, KeyedBodies::Keys& target_keys, BodyOrder& order,
           BodyOrder& target_order)
      : keys_(keys),
        target_keys_(target_keys),
        order_(order),
        target_order_(target_order),
        counts_(static_cast<std::size_t>(Host().concurrency())) {}

  /// Sorts by the higher bits with radix passes. These bits usually distinguish nearly all keys, so
  /// that the lower bits matter only within short runs, which are sorted by comparison. If a run is
  /// long, all bits are sorted with radix passes. The result is the same.
  void run() {
    pass_from(low_bits);
    if (!finish_runs()) pass_from(0);
  }

 private:
  using Host = Kokkos::DefaultHostExecutionSpace;
  static constexpr int digit_bits = 11;  ///< bits per radix pass
  static constexpr int low_bits = 20;    ///< bits that are usually left to the runs
  static constexpr std::size_t digits = std::size_t{1} << digit_bits;
  /// Longest run of equal higher bits that is sorted by comparison.
  static constexpr std::size_t longest_run = 48;

  /// Calls action(block, begin, end) for each block of bodies.
  template <class Action>
  void each_block(Action const& action) const {
    std::size_t const blocks = counts_.size(), bodies = keys_.extent(0);
    for_each(Host(), "apsis::forces::fmm::curve_order::sort", blocks, [&](std::size_t block) {
      action(block, bodies * block / blocks, bodies * (block + 1) / blocks);
    });
    Kokkos::fence("apsis::forces::fmm::curve_order: all blocks are finished");
  }

  /// Radix sort from bit `low` on, one digit of eleven bits per pass. Each pass is stable. The
  /// blocks count their digits first, which yields the destination of each body.
  void pass_from(int low) {
    std::size_t const bodies = keys_.extent(0);
    for (; low < 64; low += digit_bits) {
      auto const digit = [low](std::uint64_t key) { return key >> low & (digits - 1); };
      each_block([&](std::size_t block, std::size_t begin, std::size_t end) {
        auto const* const keys = keys_.data();
        auto& counts = counts_[block];
        counts.fill(0);
        for (std::size_t i = begin; i < end; ++i) ++counts[digit(keys[i])];
      });
      std::size_t offset = 0, largest_count = 0;
      for (std::size_t d = 0; d < digits; ++d) {
        std::size_t const first = offset;
        for (auto& counts : counts_) offset += std::exchange(counts[d], offset);
        largest_count = std::max(largest_count, offset - first);
      }
      if (largest_count == bodies) continue;  // all bodies have the same digit
      each_block([&](std::size_t block, std::size_t begin, std::size_t end) {
        auto& destinations = counts_[block];
        auto const* const source_keys = keys_.data();
        auto const* const source_order = order_.data();
        auto* const new_keys = target_keys_.data();
        auto* const new_order = target_order_.data();
        for (std::size_t i = begin; i < end; ++i) {
          std::size_t const target = destinations[digit(source_keys[i])]++;
          new_keys[target] = source_keys[i];
          new_order[target] = source_order[i];
        }
      });
      std::swap(keys_, target_keys_);
      std::swap(order_, target_order_);
    }
  }

  /// Sorts each run of equal higher bits. Returns false if a run is too long.
  bool finish_runs() {
    std::size_t const blocks = counts_.size(), bodies = keys_.extent(0);
    auto const continues = [&](std::size_t i) {
      return i > 0 && i < bodies && keys_(i) >> low_bits == keys_(i - 1) >> low_bits;
    };
    // A run belongs to the block in which it begins. All beginnings are found before a body moves.
    std::vector<std::size_t> run_begins(blocks + 1, bodies);
    each_block([&](std::size_t block, std::size_t begin, std::size_t) {
      while (continues(begin)) ++begin;
      run_begins[block] = begin;
    });
    std::atomic<bool> are_all_short = true;
    each_block([&](std::size_t block, std::size_t, std::size_t) {
      auto* const keys = keys_.data();
      auto* const order = order_.data();
      std::size_t const end = run_begins[block + 1];
      for (std::size_t begin = run_begins[block], i = begin + 1; i < end && are_all_short; ++i) {
        if (keys[i] >> low_bits != keys[begin] >> low_bits) begin = i;
        if (i - begin >= longest_run) are_all_short = false;
        auto const key = keys[i];
        auto const body = order[i];
        std::size_t position = i;
        for (; position > begin && keys[position - 1] > key; --position) {
          keys[position] = keys[position - 1];
          order[position] = order[position - 1];
        }
        keys[position] = key;
        order[position] = body;
      }
    });
    return are_all_short;
  }

  KeyedBodies::Keys &keys_, &target_keys_;
  BodyOrder &order_, &target_order_;
  std::vector<std::array<std::size_t, digits> > counts_;  ///< of each digit in each block
};

void sort_keys(ExecutionSpace const& space, KeyedBodies::Keys& keys, KeyedBodies::Keys& target_keys,
               BodyOrder& order, BodyOrder& target_order, Kokkos::View<std::byte*, MemorySpace>&) {
  space.fence("apsis::forces::fmm::curve_order: the host sorts keys");
  HostSort(keys, target_keys, order, target_order).run();
}

#endif

}  // namespace

void KeyedBodies::resize(ExecutionSpace const& space, std::size_t bodies) {
  fit(space, keys, "apsis::forces::fmm::curve_order::keys", bodies);
  fit(space, order, "apsis::forces::fmm::curve_order", bodies);
  if constexpr (!on_hip) {
    fit(space, target_keys_, "apsis::forces::fmm::curve_order::keys", bodies);
    fit(space, target_order_, "apsis::forces::fmm::curve_order", bodies);
  }
}

void KeyedBodies::sort(ExecutionSpace const& space) {
  // Kernels launched by the vendor's sort have other labels.
  Kokkos::Profiling::ScopedRegion const region("apsis::forces::fmm::curve_order::sort");
  sort_keys(space, keys, target_keys_, order, target_order_, scratch_);
}

}  // namespace apsis::forces::fmm
