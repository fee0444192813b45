// SPDX-License-Identifier: Apache-2.0
#include "key_sort.hpp"

#include "forces/fmm/cells.hpp"
#include <apsis/core/backend.hpp>
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

/// Stable radix sort.
void sort_keys(ExecutionSpace const& space, KeyedBodies::Keys& keys, KeyedBodies::Keys& spare_keys,
               BodyOrder& order, BodyOrder& spare_order,
               Kokkos::View<std::byte*, MemorySpace>& scratch) {
  cub::DoubleBuffer<std::uint64_t> key_buffer(keys.data(), spare_keys.data());
  cub::DoubleBuffer<std::uint32_t> order_buffer(order.data(), spare_order.data());
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
  grow(space, scratch, "apsis::forces::fmm::curve_order::room", bytes);
  sort(scratch.data(), bytes);
  if (key_buffer.Current() != keys.data()) std::swap(keys, spare_keys);
  if (order_buffer.Current() != order.data()) std::swap(order, spare_order);
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
  HostSort(KeyedBodies::Keys& keys, KeyedBodies::Keys& spare_keys, BodyOrder& order,
           BodyOrder& spare_order)
      : keys_(keys),
        spare_keys_(spare_keys),
        order_(order),
        spare_order_(spare_order),
        counts_(static_cast<std::size_t>(Host().concurrency())) {}

  /// Sorts by the higher bits first. These usually distinguish nearly all keys, and the lower bits
  /// are compared only within short runs of equal ones. The result is that of a full sort.
  void run() {
    pass_from(low_bits);
    if (!finish_runs()) pass_from(0);
  }

 private:
  using Host = Kokkos::DefaultHostExecutionSpace;
  static constexpr int bits = 11, low_bits = 20;
  static constexpr std::size_t values = std::size_t{1} << bits;
  /// Longest run of equal higher bits that is sorted by comparison.
  static constexpr std::size_t longest_run = 48;

  /// Calls action(block, begin, end) for each block of bodies.
  template <class Action>
  void each_block(Action const& action) const {
    std::size_t const blocks = counts_.size(), bodies = keys_.extent(0);
    for_each(Host(), "apsis::forces::fmm::curve_order::sort", blocks, [&](std::size_t block) {
      action(block, bodies * block / blocks, bodies * (block + 1) / blocks);
    });
    Kokkos::fence("apsis::forces::fmm::curve_order: all blocks are counted, or sorted");
  }

  /// Radix sort from bit `low` on, eleven bits per pass. Each pass is stable. Each block counts its
  /// values first, which yields the destination of each body.
  void pass_from(int low) {
    std::size_t const bodies = keys_.extent(0);
    for (; low < 64; low += bits) {
      auto const value = [low](std::uint64_t key) { return key >> low & (values - 1); };
      each_block([&](std::size_t block, std::size_t begin, std::size_t end) {
        auto const* const keys = keys_.data();
        auto& counts = counts_[block];
        counts.fill(0);
        for (std::size_t i = begin; i < end; ++i) ++counts[value(keys[i])];
      });
      std::size_t offset = 0, largest_count = 0;
      for (std::size_t v = 0; v < values; ++v) {
        std::size_t const first = offset;
        for (auto& counts : counts_) offset += std::exchange(counts[v], offset);
        largest_count = std::max(largest_count, offset - first);
      }
      if (largest_count == bodies) continue;
      each_block([&](std::size_t block, std::size_t begin, std::size_t end) {
        auto& destinations = counts_[block];
        auto const* const from_keys = keys_.data();
        auto const* const from_order = order_.data();
        auto* const to_keys = spare_keys_.data();
        auto* const to_order = spare_order_.data();
        for (std::size_t i = begin; i < end; ++i) {
          std::size_t const target = destinations[value(from_keys[i])]++;
          to_keys[target] = from_keys[i];
          to_order[target] = from_order[i];
        }
      });
      std::swap(keys_, spare_keys_);
      std::swap(order_, spare_order_);
    }
  }

  /// Sorts each run of equal higher bits. Returns false if a run is too long.
  bool finish_runs() {
    std::size_t const blocks = counts_.size(), bodies = keys_.extent(0);
    auto const continues = [&](std::size_t i) {
      return i > 0 && i < bodies && keys_(i) >> low_bits == keys_(i - 1) >> low_bits;
    };
    // A run belongs to the block in which it begins. Determined before any body moves.
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

  KeyedBodies::Keys &keys_, &spare_keys_;
  BodyOrder &order_, &spare_order_;
  std::vector<std::array<std::size_t, values> > counts_;  ///< of each block
};

void sort_keys(ExecutionSpace const& space, KeyedBodies::Keys& keys, KeyedBodies::Keys& spare_keys,
               BodyOrder& order, BodyOrder& spare_order, Kokkos::View<std::byte*, MemorySpace>&) {
  space.fence("apsis::forces::fmm::curve_order: the host sorts keys");
  HostSort(keys, spare_keys, order, spare_order).run();
}

#endif

}  // namespace

void KeyedBodies::resize(ExecutionSpace const& space, std::size_t bodies) {
  fit(space, keys, "apsis::forces::fmm::curve_order::keys", bodies);
  fit(space, order, "apsis::forces::fmm::curve_order", bodies);
  if constexpr (!on_hip) {
    fit(space, spare_keys_, "apsis::forces::fmm::curve_order::keys", bodies);
    fit(space, spare_order_, "apsis::forces::fmm::curve_order", bodies);
  }
}

void KeyedBodies::sort(ExecutionSpace const& space) {
  // Kernels launched by the vendor's sort have other labels.
  Kokkos::Profiling::ScopedRegion const region("apsis::forces::fmm::curve_order::sort");
  sort_keys(space, keys, spare_keys_, order, spare_order_, scratch_);
}

}  // namespace apsis::forces::fmm
