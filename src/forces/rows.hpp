// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>

#include <type_traits>

/// Columns in the form that laws store: base pointers, half the size of a View. Kernels with more
/// than 512 bytes of arguments reach a GPU by a slower way (Kokkos' ConstantMemoryUseThreshold),
/// which cost the jerks and snaps of 4096 bodies 8 to 21 % of their rate (H200, 2026-11-21).
namespace apsis::forces {

template <class T>
struct Rows {
  T* data = nullptr;

  Rows() = default;
  explicit Rows(T* first) : data(first) {}
  template <class View>
  Rows(View const& view) : data(view.data()) {}
  KOKKOS_FORCEINLINE_FUNCTION T& operator()(std::size_t i) const { return data[i]; }
};

template <class Real>
struct VectorRows {
  Real* data = nullptr;
  std::size_t stride = 0;

  VectorRows() = default;
  VectorRows(Real* first, std::size_t step) : data(first), stride(step) {}
  VectorRows(VectorColumns<std::remove_const_t<Real>> const& view)
      : data(view.data()), stride(view.stride(1)) {}
  KOKKOS_FORCEINLINE_FUNCTION Real& operator()(std::size_t i, int axis) const {
    return data[i + static_cast<std::size_t>(axis) * stride];
  }
};

}  // namespace apsis::forces
