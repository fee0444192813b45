// SPDX-License-Identifier: Apache-2.0
#include "key_sort.hpp"

#include "cells.hpp"
#include <apsis/core/error.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#if defined(KOKKOS_ENABLE_CUDA)
#include <cub/device/device_radix_sort.cuh>
#else
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

#else

/// In blocks, then neighbouring blocks into one: the standard library sorts on one thread.
void sort_on_host(ExecutionSpace const& space, KeyedBodies::Keys const& keys,
                  BodyOrder const& order) {
  struct Keyed {
    std::uint64_t key;
    std::uint32_t place, body;
    bool operator<(Keyed const& other) const {
      return key != other.key ? key < other.key : place < other.place;
    }
  };
  std::size_t const count = order.extent(0);
  std::vector<Keyed> all(count);
  std::size_t blocks = 1;
  while (blocks < static_cast<std::size_t>(space.concurrency())) blocks *= 2;
  auto const begin = [&](std::size_t block) { return count * block / blocks; };
  auto const at = [&](std::size_t block) {
    return all.begin() + static_cast<std::ptrdiff_t>(begin(block));
  };
  using Policy =
      Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic> >;
  auto const each = [&](std::size_t runs, auto const& body) {
    Kokkos::parallel_for("apsis::forces::fmm::curve_order::sort", Policy(0, runs).set_chunk_size(1),
                         body);
    Kokkos::fence("apsis::forces::fmm::curve_order: runs are sorted before they are merged");
  };
  each(blocks, [&](std::size_t block) {
    for (std::size_t i = begin(block); i < begin(block + 1); ++i) {
      all[i] = {keys(i), static_cast<std::uint32_t>(i), order(i)};
    }
    std::sort(at(block), at(block + 1));
  });
  for (std::size_t width = 1; width < blocks; width *= 2) {
    each(blocks / (2 * width), [&](std::size_t k) {
      std::size_t const first = 2 * width * k;
      std::inplace_merge(at(first), at(first + width), at(first + 2 * width));
    });
  }
  each(blocks, [&](std::size_t block) {
    for (std::size_t i = begin(block); i < begin(block + 1); ++i) {
      keys(i) = all[i].key;
      order(i) = all[i].body;
    }
  });
}

#endif

}  // namespace

void KeyedBodies::resize(ExecutionSpace const& space, std::size_t bodies) {
  allocate(space, keys, "apsis::forces::fmm::curve_order::keys", bodies);
  allocate(space, order, "apsis::forces::fmm::curve_order", bodies);
#if defined(KOKKOS_ENABLE_CUDA)
  allocate(space, spare_keys_, "apsis::forces::fmm::curve_order::keys", bodies);
  allocate(space, spare_order_, "apsis::forces::fmm::curve_order", bodies);
#endif
}

void KeyedBodies::sort(ExecutionSpace const& space) {
  // What a vendor's sort launches has other labels.
  Kokkos::Profiling::ScopedRegion const region("apsis::forces::fmm::curve_order::sort");
#if defined(KOKKOS_ENABLE_CUDA)
  sort_by_cub(space, keys, spare_keys_, order, spare_order_, room_);
#else
  if constexpr (bodies_on_host) {
    space.fence("apsis::forces::fmm::curve_order: the host sorts keys");
    sort_on_host(space, keys, order);
  } else {
    // The vendors' sorts of numbers are radix sorts, which keep equal keys in their order.
    Kokkos::Experimental::sort_by_key(space, keys, order);
  }
#endif
}

}  // namespace apsis::forces::fmm
