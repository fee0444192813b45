// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forces/fmm/tree/key_sort.hpp"
#include <apsis/bodies/bodies.hpp>

#include <cstddef>
#include <cstdint>

/// Accelerations of bodies, as the acceptance criterion uses them.
namespace apsis::forces::fmm {

/// Computes the acceleration floor. A body with nearly zero acceleration, at a centre of symmetry
/// for example, would reject every cell. Accelerations are therefore clamped from below at a
/// quarter of the 0.5 % quantile, estimated from a fixed sample. The accuracy is a 99th percentile,
/// which so few bodies do not change.
template <class Stored>
struct FindAccelerationFloor {
  static constexpr std::size_t sample = 512;
  static constexpr unsigned quantile_rank = 2;  ///< rank of the quantile in the sample
  Column<Stored> acceleration;                  ///< of each body; at least one row
  Column<Stored> floor;                         ///< one row; unchanged if nearly all values are NaN

  /// Returns the k-th sample: one body of each of equal parts of the rows, at a varying offset,
  /// since rows may have a pattern.
  KOKKOS_FORCEINLINE_FUNCTION Stored sample_value(std::size_t k) const {
    std::size_t const bodies = acceleration.extent(0);
    std::size_t const begin = k * bodies / sample, end = (k + 1) * bodies / sample;
    std::size_t const offset = (k * std::uint32_t{0x9E3779B9}) >> 7;
    return acceleration(end > begin ? begin + offset % (end - begin) : begin);
  }
  KOKKOS_FUNCTION void operator()(std::size_t k) const {
    Stored const value = sample_value(k);
    unsigned rank = 0;
    for (std::size_t other = 0; other < sample; ++other) {
      Stored const other_value = sample_value(other);
      rank += other_value < value || (other_value == value && other < k) ? 1u : 0u;
    }
    // NaN has rank 0, so it is never selected.
    if (rank == quantile_rank) floor(0) = value / Stored(4);
  }
};

/// Writes the clamped accelerations in the order of the leaves, in internal units.
template <class Number>
struct SortAccelerations {
  Column<typename Number::Stored> acceleration;  ///< of each body
  BodyOrder order;
  Column<typename Number::Stored> floor;
  double per_unit;  ///< inverse of the unit of accelerations over G
  Kokkos::View<typename Number::Real*, MemorySpace> sorted;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    auto const value = acceleration(order(i));
    auto const clamped = value < floor(0) ? floor(0) : value;
    sorted(i) = static_cast<typename Number::Real>(static_cast<double>(clamped) * per_unit);
  }
};

}  // namespace apsis::forces::fmm
