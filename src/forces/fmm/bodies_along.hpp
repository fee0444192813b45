// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "key_sort.hpp"
#include "packed_bodies.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/forces/request.hpp>

#include <cstddef>

namespace apsis::forces::fmm {

/// Bodies in the order in which each leaf has the next `leaf_size`: along Hilbert's curve, but for
/// what neighbouring leaves exchanged.
template <class Stored>
class BodiesAlong {
 public:
  /// Puts so many in order. No number of threads changes it. Keeps its room until the next time.
  /// O(N); fences.
  void put(ExecutionSpace const& space, Sources<Stored> const& sources, std::size_t count);

  /// Room for three numbers in so many rows, which nobody needs until the next time; nothing where
  /// it is too small.
  VectorColumns<Stored> spare(std::size_t rows) const {
    if (3 * rows > 4 * as_given_.extent(0)) return {};
    return VectorColumns<Stored>(reinterpret_cast<Stored*>(as_given_.data()), rows);
  }

  BodyOrder order;  ///< who comes first, second, ...
  PackedBodies<Stored> bodies;

 private:
  KeyedBodies keyed_;
  PackedBodies<Stored> as_given_;
};

extern template class BodiesAlong<float>;
extern template class BodiesAlong<double>;

}  // namespace apsis::forces::fmm
