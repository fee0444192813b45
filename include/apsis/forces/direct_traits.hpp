// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/execution.hpp>
#include <apsis/core/simd.hpp>

#include <cstddef>

namespace apsis::forces {

/// How the all-pairs engine is shaped for an execution space and a precision; all of it is known to
/// the compiler. This is the host: a team is one thread (Kokkos synchronises larger host teams even
/// where they share nothing), its targets are packs of lanes, and a tile of sources stays in L1.
template <class Space, class Real>
struct DirectTraits {
  static constexpr int team_size = 1;
  static constexpr int lanes = simd::native_lanes<Real>;
  static constexpr int targets = 4;  ///< packs per thread, held in registers
  static constexpr int tile = 512;   ///< sources staged in team scratch at a time

  /// Parts into which the sources are split, each swept by teams of its own.
  static constexpr std::size_t chunks(std::size_t /*bodies*/) { return 1; }
};

namespace detail {

/// Enough parts to give every multiprocessor of a large GPU two teams, at a tile or more each. It
/// depends on N alone, never on the device, because the parts set the order of the sums.
template <class Traits>
constexpr std::size_t device_chunks(std::size_t bodies) {
  constexpr std::size_t enough_teams = 512;
  constexpr std::size_t block = std::size_t{Traits::team_size} * Traits::targets;
  std::size_t const blocks = (bodies + block - 1) / block;
  std::size_t const tiles = (bodies + Traits::tile - 1) / Traits::tile;
  if (blocks == 0 || blocks >= enough_teams) return 1;
  std::size_t const wanted = (enough_teams + blocks - 1) / blocks;
  return wanted < tiles ? wanted : tiles;
}

template <class Real>
struct DeviceTraits {
  static constexpr int team_size = 256;
  static constexpr int lanes = 1;
  static constexpr int targets = sizeof(Real) == 4 ? 4 : 2;
  static constexpr int tile = 256;
  static constexpr int unroll = sizeof(Real) == 4 ? 16 : 8;
  static constexpr std::size_t chunks(std::size_t bodies) {
    return device_chunks<DeviceTraits>(bodies);
  }
};

}  // namespace detail

#if defined(KOKKOS_ENABLE_CUDA)
template <class Real>
struct DirectTraits<Kokkos::Cuda, Real> : detail::DeviceTraits<Real> {};
#endif
#if defined(KOKKOS_ENABLE_HIP)
template <class Real>
struct DirectTraits<Kokkos::HIP, Real> : detail::DeviceTraits<Real> {};
#endif

}  // namespace apsis::forces
