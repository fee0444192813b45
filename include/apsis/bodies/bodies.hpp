// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/execution.hpp>

#include <cstdint>
#include <string>

namespace apsis {

/// N vectors as three contiguous columns: structure of arrays, and at the same time a multivector
/// for Kokkos Kernels. Element (i, k) is component k of body i.
template <class Real>
using VectorColumns = Kokkos::View<Real* [3], Kokkos::LayoutLeft, MemorySpace>;

template <class Real>
using Column = Kokkos::View<Real*, MemorySpace>;

/// The bodies that this process holds of a run, where the kernels run: numbers `first` ...
/// first + size() - 1 of all `total`. A copy shares the Views.
template <class Real>
struct Bodies {
  VectorColumns<Real> position;      ///< [length]
  VectorColumns<Real> velocity;      ///< [length / time]
  VectorColumns<Real> acceleration;  ///< [length / time^2], of the last force evaluation
  Column<Real> mass;                 ///< [mass], >= 0
  Column<std::uint64_t> id;          ///< unique, kept by every output
  std::size_t first = 0;             ///< global number of row 0
  std::size_t total = 0;             ///< of all processes together

  /// Rows: the bodies that are here.
  std::size_t size() const { return mass.extent(0); }
};

/// Allocates `count` bodies, all zero, which are all that there are.
template <class Real>
Bodies<Real> allocate_bodies(ExecutionSpace const& space, std::size_t count);

/// Bytes that one body takes on the device for its whole run, workspaces included.
template <class Real>
constexpr std::size_t device_bytes_per_body() {
  return 10 * sizeof(Real) + sizeof(std::uint64_t) + sizeof(double);
}

}  // namespace apsis
