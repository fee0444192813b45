// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/execution.hpp>

#include <cstddef>
#include <cstdint>

namespace apsis::forces::fmm {

/// Index of the first, second, ... body along the curve.
using BodyOrder = Kokkos::View<std::uint32_t*, MemorySpace>;

/// Bodies with their SFC keys and the scratch memory for sorting. The memory is kept: on a GPU its
/// allocation takes as long as sorting a million keys.
class KeyedBodies {
 public:
  using Keys = Kokkos::View<std::uint64_t*, MemorySpace>;

  /// Allocates all columns for `bodies` rows, without initialising them.
  void resize(ExecutionSpace const& space, std::size_t bodies);
  /// Sorts by rising keys. Stable. Fences on a host.
  void sort(ExecutionSpace const& space);

  Keys keys;
  BodyOrder order;

 private:
  Keys spare_keys_;
  BodyOrder spare_order_;
  Kokkos::View<std::byte*, MemorySpace> scratch_;
};

}  // namespace apsis::forces::fmm
