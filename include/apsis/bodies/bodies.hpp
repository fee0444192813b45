// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/execution.hpp>
#include <apsis/core/vec3.hpp>

#include <cstdint>
#include <string>

namespace apsis {

/// N vectors as three contiguous columns: a structure of arrays that is also a multivector for
/// Kokkos Kernels. Element (i, k) is component k of body i.
template <class Real>
using VectorColumns = Kokkos::View<Real* [3], Kokkos::LayoutLeft, MemorySpace>;

/// One value per body.
template <class Real>
using Column = Kokkos::View<Real*, MemorySpace>;

/// The bodies of a run that this rank holds, in the memory of the kernels: bodies `first` ...
/// first + size() - 1 of all `total`. A copy shares the Views.
template <class Real>
struct Bodies {
  VectorColumns<Real> position;      ///< [length]
  VectorColumns<Real> velocity;      ///< [length / time]
  VectorColumns<Real> acceleration;  ///< last evaluated acceleration [length / time^2]
  Column<Real> mass;                 ///< [mass], >= 0
  Column<std::uint64_t> id;          ///< unique; preserved by all outputs
  std::size_t first = 0;             ///< index of row 0 among all bodies
  std::size_t total = 0;             ///< number of bodies of all ranks

  /// Number of rows: the bodies of this rank.
  std::size_t size() const { return mass.extent(0); }
};

/// Allocates `count` bodies with all values 0; first = 0 and total = count.
template <class Real>
Bodies<Real> allocate_bodies(ExecutionSpace const& space, std::size_t count);

/// Device memory per body during a whole run [bytes], including workspaces.
template <class Real>
constexpr std::size_t device_bytes_per_body() {
  return 10 * sizeof(Real) + sizeof(std::uint64_t) + sizeof(double);
}

/// Vector of body i, in double.
template <class Real>
KOKKOS_INLINE_FUNCTION Vec3<double> row(VectorColumns<Real> const& columns, std::size_t i) {
  return {static_cast<double>(columns(i, 0)), static_cast<double>(columns(i, 1)),
          static_cast<double>(columns(i, 2))};
}

}  // namespace apsis
