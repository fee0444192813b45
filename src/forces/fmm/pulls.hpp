// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "curve_order.hpp"
#include <apsis/bodies/bodies.hpp>

#include <cstddef>
#include <cstdint>

/// What bodies are pulled by, which decides who is far.
namespace apsis::forces::fmm {

/// Finds the least pull that counts. Who is hardly pulled at all, at a centre of symmetry say,
/// would be far from nobody: no pull counts as less than a quarter of one that few bodies have less
/// than. Few are half a percent, of a sample that is the same whoever looks: 99 % of the bodies get
/// what they are promised.
template <class Stored>
struct FindLeastPull {
  static constexpr std::size_t sample = 512;
  static constexpr unsigned few = 2;  ///< of them have less
  Column<Stored> pull;                ///< of each body, of at least one
  Column<Stored> least;               ///< a row, which stays what it is where too few are numbers

  /// One of each part, not always at the same place of it: rows may have a pattern.
  KOKKOS_FORCEINLINE_FUNCTION Stored sampled(std::size_t k) const {
    std::size_t const bodies = pull.extent(0);
    std::size_t const begin = k * bodies / sample, end = (k + 1) * bodies / sample;
    std::size_t const some = (k * std::uint32_t{0x9E3779B9}) >> 7;
    return pull(end > begin ? begin + some % (end - begin) : begin);
  }
  KOKKOS_FUNCTION void operator()(std::size_t k) const {
    Stored const own = sampled(k);
    unsigned below = 0;
    for (std::size_t other = 0; other < sample; ++other) {
      Stored const of = sampled(other);
      below += of < own || (of == own && other < k) ? 1u : 0u;
    }
    // (Below what is no number there is nothing.)
    if (below == few) least(0) = own / Stored(4);
  }
};

/// In cells' units.
template <class Number>
struct PullsAlongTheCurve {
  Column<typename Number::Stored> from;
  BodyOrder along;
  Column<typename Number::Stored> least;
  double unit;
  Kokkos::View<typename Number::Real*, MemorySpace> to;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    auto const own = from(along(i));
    auto const counts = own < least(0) ? least(0) : own;
    to(i) = static_cast<typename Number::Real>(static_cast<double>(counts) * unit);
  }
};

}  // namespace apsis::forces::fmm
