// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/execution.hpp>

#include <cstdint>
#include <cstring>

/// Registers of neighbouring threads, read without going through memory.
namespace apsis::lane_exchange {

/// Threads that run in step: a warp of CUDA (32), a wavefront of HIP (64 or 32); 1 on the host.
#if defined(KOKKOS_ENABLE_CUDA)
inline constexpr int width = 32;
#elif defined(KOKKOS_ENABLE_HIP)
inline constexpr int width = Kokkos::Impl::HIPTraits::WarpSize;
#else
inline constexpr int width = 1;
#endif

/// The value that thread `lane` of this warp holds. Every thread of the warp must take part.
/// `Value` is trivially copyable and a multiple of four bytes long.
template <class Value>
KOKKOS_FORCEINLINE_FUNCTION Value from(int lane, Value const& value) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  constexpr int words = sizeof(Value) / sizeof(std::uint32_t);
  std::uint32_t word[words];
  memcpy(word, &value, sizeof(Value));
  for (int i = 0; i < words; ++i) {
#if defined(__CUDA_ARCH__)
    word[i] = __shfl_sync(0xFFFFFFFFu, word[i], lane);
#else
    word[i] = static_cast<std::uint32_t>(__shfl(static_cast<int>(word[i]), lane));
#endif
  }
  Value received;
  memcpy(&received, word, sizeof(Value));
  return received;
#else
  (void)lane;
  return value;
#endif
}

}  // namespace apsis::lane_exchange
