// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/execution.hpp>

#include <cstddef>
#include <cstdint>

namespace apsis::forces::fmm {

/// Which body comes first, second, ... along a curve.
using BodyOrder = Kokkos::View<std::uint32_t*, MemorySpace>;

/// Bodies and their keys, and the room that sorting takes: kept, since on a GPU to allocate and
/// free it takes as long as to sort a million.
class KeyedBodies {
 public:
  using Keys = Kokkos::View<std::uint64_t*, MemorySpace>;

  /// Room for so many, with nothing in it.
  void resize(ExecutionSpace const& space, std::size_t bodies);
  /// By rising keys; bodies of equal keys stay in their order. Fences on a host.
  void sort(ExecutionSpace const& space);

  Keys keys;
  BodyOrder order;

 private:
  Keys spare_keys_;
  BodyOrder spare_order_;
  Kokkos::View<std::byte*, MemorySpace> room_;
};

}  // namespace apsis::forces::fmm
