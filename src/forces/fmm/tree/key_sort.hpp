// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/core/execution.hpp>

#include <cstddef>
#include <cstdint>

namespace apsis::forces::fmm {

/// Order of bodies: element k is the index of the k-th body.
using BodyOrder = Kokkos::View<std::uint32_t*, MemorySpace>;

/// Indices of bodies with their SFC keys, and the scratch memory for sorting. It is kept between
/// sorts, because on a GPU its allocation takes as long as sorting a million keys.
class KeyedBodies {
 public:
  using Keys = Kokkos::View<std::uint64_t*, MemorySpace>;

  /// Allocates all columns for `bodies` rows, without initialising them.
  void resize(ExecutionSpace const& space, std::size_t bodies);
  /// Sorts `keys`, and `order` with them, by rising keys. Stable. Fences on a host.
  void sort(ExecutionSpace const& space);

  Keys keys;
  BodyOrder order;

 private:
  // Scratch: targets of a pass, and memory of the vendor's sort.
  Keys target_keys_;
  BodyOrder target_order_;
  Kokkos::View<std::byte*, MemorySpace> scratch_;
};

/// Returns the order of the bodies along Hilbert's curve through their bounding cube. If some of
/// its 2^63 cubes hold many bodies, these are also sorted along a curve through their cube.
/// Coincident bodies stay in the order of their indices. The result does not depend on the number
/// of threads; it is stored in `keyed` until the next call. Precondition: fewer than 2^32 bodies.
/// Fences.
template <class Stored>
BodyOrder curve_order(ExecutionSpace const& space, VectorColumns<Stored> const& position,
                      std::size_t bodies, KeyedBodies& keyed);

extern template BodyOrder curve_order(ExecutionSpace const&, VectorColumns<float> const&,
                                      std::size_t, KeyedBodies&);
extern template BodyOrder curve_order(ExecutionSpace const&, VectorColumns<double> const&,
                                      std::size_t, KeyedBodies&);

}  // namespace apsis::forces::fmm
