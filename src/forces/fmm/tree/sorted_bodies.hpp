// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "key_sort.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/forces/request.hpp>

#include <cstddef>
#include <optional>

namespace apsis::forces::fmm {

/// Position and mass of a body in one piece of memory, for random access with a single load.
template <class Stored>
struct alignas(4 * sizeof(Stored)) PackedBody {
  Stored position[3], mass;
};

template <class Stored>
using PackedBodies = Kokkos::View<PackedBody<Stored>*, MemorySpace>;

/// Bodies in the order of the leaves: each leaf holds the next `leaf_size` bodies. The order is
/// that of Hilbert's curve, except for bodies that neighbouring leaves exchanged (tighten.hpp).
template <class Stored>
class SortedBodies {
 public:
  /// Sorts the first `count` sources. The result does not depend on the number of threads. Keeps
  /// its memory for the next call. O(N); fences.
  void sort(ExecutionSpace const& space, Sources<Stored> const& sources, std::size_t count);

  /// Returns scratch columns of `rows` vectors in memory that is unused until the next sort();
  /// empty if it is too small.
  std::optional<VectorColumns<Stored>> scratch_columns(std::size_t rows) const {
    if (3 * rows > 4 * unsorted_.extent(0)) return std::nullopt;
    return VectorColumns<Stored>(reinterpret_cast<Stored*>(unsorted_.data()), rows);
  }

  BodyOrder order;              ///< index of the first, second, ... body
  PackedBodies<Stored> bodies;  ///< in this order

 private:
  KeyedBodies keyed_;
  PackedBodies<Stored> unsorted_;
};

extern template class SortedBodies<float>;
extern template class SortedBodies<double>;

}  // namespace apsis::forces::fmm
