// SPDX-License-Identifier: Apache-2.0
#include "key_sort.hpp"

#include "cells.hpp"
#include <apsis/core/error.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <algorithm>
#include <array>
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

/// A radix sort by eleven bits after the other, the lowest first: each pass keeps the order of
/// those whose bits are equal. Each block of bodies counts its own, so that it knows where they go.
void sort_on_host(KeyedBodies::Keys& keys, KeyedBodies::Keys& spare_keys, BodyOrder& order,
                  BodyOrder& spare_order) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  constexpr int bits = 11;
  constexpr std::size_t values = std::size_t{1} << bits;
  std::size_t const bodies = keys.extent(0);
  auto const blocks = static_cast<std::size_t>(Host().concurrency());
  std::vector<std::array<std::size_t, values> > places(blocks);
  auto const each_block = [&](auto const& act) {
    Kokkos::parallel_for("apsis::forces::fmm::curve_order::sort",
                         Kokkos::RangePolicy<Host, Kokkos::IndexType<std::size_t> >(0, blocks),
                         [&](std::size_t block) {
                           act(places[block], bodies * block / blocks,
                               bodies * (block + 1) / blocks);
                         });
    Kokkos::fence("apsis::forces::fmm::curve_order: all blocks are counted, or sorted");
  };
  for (int low = 0; low < 64; low += bits) {
    auto const value = [low](std::uint64_t key) { return key >> low & (values - 1); };
    each_block([&](auto& count, std::size_t begin, std::size_t end) {
      auto const* const of = keys.data();
      count.fill(0);
      for (std::size_t i = begin; i < end; ++i) ++count[value(of[i])];
    });
    std::size_t behind = 0, most = 0;
    for (std::size_t v = 0; v < values; ++v) {
      std::size_t const first = behind;
      for (auto& of : places) behind += std::exchange(of[v], behind);
      most = std::max(most, behind - first);
    }
    if (most == bodies) continue;
    each_block([&](auto& place, std::size_t begin, std::size_t end) {
      auto const* const from_keys = keys.data();
      auto const* const from_order = order.data();
      auto* const to_keys = spare_keys.data();
      auto* const to_order = spare_order.data();
      for (std::size_t i = begin; i < end; ++i) {
        std::size_t const to = place[value(from_keys[i])]++;
        to_keys[to] = from_keys[i];
        to_order[to] = from_order[i];
      }
    });
    std::swap(keys, spare_keys);
    std::swap(order, spare_order);
  }
}

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
  sort_on_host(keys, spare_keys_, order, spare_order_);
#endif
}

}  // namespace apsis::forces::fmm
