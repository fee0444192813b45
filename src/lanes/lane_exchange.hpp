// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/execution.hpp>

#include <cstdint>
#include <cstring>

/// Exchange of register values between the threads of a warp, without going through memory.
namespace apsis::lane_exchange {

/// Threads that execute in lockstep: a CUDA warp (32), a HIP wavefront (64 or 32); 1 on the host.
#if defined(KOKKOS_ENABLE_CUDA)
inline constexpr int width = 32;
#elif defined(KOKKOS_ENABLE_HIP)
inline constexpr int width = Kokkos::Impl::HIPTraits::WarpSize;
#else
inline constexpr int width = 1;
#endif

/// Returns the `value` of thread `lane` in this thread's group of `lanes` neighbouring threads (by
/// default the whole warp). All threads of the group must call it together; on CUDA, `mask` has a
/// bit for each thread of the warp that calls. `Value` is trivially copyable and its size is a
/// multiple of four bytes.
template <int lanes = width, class Value>
KOKKOS_FORCEINLINE_FUNCTION Value shuffle(int lane, Value const& value,
                                          std::uint32_t mask = 0xFFFFFFFFu) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  constexpr int words = sizeof(Value) / sizeof(std::uint32_t);
  std::uint32_t word[words];
  memcpy(word, &value, sizeof(Value));
  for (int i = 0; i < words; ++i) {
#if defined(__CUDA_ARCH__)
    word[i] = __shfl_sync(mask, word[i], lane, lanes);
#else
    (void)mask;
    word[i] = static_cast<std::uint32_t>(__shfl(static_cast<int>(word[i]), lane, lanes));
#endif
  }
  Value received;
  memcpy(&received, word, sizeof(Value));
  return received;
#else
  (void)lane;
  (void)mask;
  return value;
#endif
}

}  // namespace apsis::lane_exchange
