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

/// The value that thread `lane` holds of as many neighbours as `lanes`, the whole warp if nothing
/// else is said. All of them must take part: on CUDA those that have a bit in `who`, others may be
/// elsewhere. `Value` is trivially copyable and a multiple of four bytes long.
template <int lanes = width, class Value>
KOKKOS_FORCEINLINE_FUNCTION Value from(int lane, Value const& value,
                                       std::uint32_t who = 0xFFFFFFFFu) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  constexpr int words = sizeof(Value) / sizeof(std::uint32_t);
  std::uint32_t word[words];
  memcpy(word, &value, sizeof(Value));
  for (int i = 0; i < words; ++i) {
#if defined(__CUDA_ARCH__)
    word[i] = __shfl_sync(who, word[i], lane, lanes);
#else
    (void)who;
    word[i] = static_cast<std::uint32_t>(__shfl(static_cast<int>(word[i]), lane, lanes));
#endif
  }
  Value received;
  memcpy(&received, word, sizeof(Value));
  return received;
#else
  (void)lane;
  (void)who;
  return value;
#endif
}

}  // namespace apsis::lane_exchange
