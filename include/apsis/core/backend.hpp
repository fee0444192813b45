// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/execution.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

/// Properties of the backend that this executable was built for, selection of values by backend,
/// and loops of independent iterations. Code that depends on the backend uses by_backend(),
/// std::conditional_t, or `if constexpr` with on_gpu, so that each compiler reads both branches.
/// The preprocessor is only for types and intrinsics that one compiler lacks.

/// 1 if kernels run on a GPU, otherwise 0. Only for the preprocessor; other code uses
/// apsis::on_gpu.
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
#define APSIS_ON_GPU 1
#else
#define APSIS_ON_GPU 0
#endif

/// Before a loop: unrolls it in device code, completely or by a constant. No effect in host code.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define APSIS_PRAGMA(text) _Pragma(#text)
#define APSIS_DEVICE_UNROLL APSIS_PRAGMA(unroll)
#define APSIS_DEVICE_UNROLL_BY(count) APSIS_PRAGMA(unroll count)
#else
#define APSIS_DEVICE_UNROLL
#define APSIS_DEVICE_UNROLL_BY(count)
#endif

namespace apsis {

/// Whether kernels run on a GPU.
inline constexpr bool on_gpu = APSIS_ON_GPU == 1;

/// Whether kernels run on a GPU through CUDA.
#if defined(KOKKOS_ENABLE_CUDA)
inline constexpr bool on_cuda = true;
#else
inline constexpr bool on_cuda = false;
#endif

/// Whether kernels run on a GPU through HIP.
inline constexpr bool on_hip = on_gpu && !on_cuda;

/// Whether the host threads are those of OpenMP. They may exist beside a GPU.
#if defined(KOKKOS_ENABLE_OPENMP)
inline constexpr bool has_openmp = true;
#else
inline constexpr bool has_openmp = false;
#endif

/// Whether the host can access the bodies directly, without a copy and without waiting for kernels.
inline constexpr bool bodies_on_host =
    !on_gpu && Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible;

/// Returns `host` if kernels run on host threads, and `gpu` if they run on a GPU.
template <class Value>
constexpr Value by_backend(Value host, Value gpu) {
  return on_gpu ? gpu : host;
}

/// Range [begin, end) of indices of type `Index` on `space`, for reductions, scans, and loops that
/// do not begin at 0.
template <class Index = std::size_t, class Space>
Kokkos::RangePolicy<Space, Kokkos::IndexType<Index>> index_range(Space const& space,
                                                                 std::type_identity_t<Index> begin,
                                                                 std::type_identity_t<Index> end) {
  return Kokkos::RangePolicy<Space, Kokkos::IndexType<Index>>(space, begin, end);
}

/// Calls body(i) for each i in [0, count), in one kernel on `space`. The calls are independent and
/// in no particular order. Does not wait for the kernel. `body` is a functor or a lambda that the
/// caller makes with KOKKOS_LAMBDA; its argument is an `Index`. Example:
///
///   for_each(space, "apsis::room::verb", count, KOKKOS_LAMBDA(std::size_t i) { ... });
template <class Index = std::size_t, class Space, class Body>
void for_each(Space const& space, std::string const& label, std::type_identity_t<Index> count,
              Body const& body) {
  Kokkos::parallel_for(label, index_range<Index>(space, 0, count), body);
}

/// Whether a loop over so many bodies costs less on the calling thread than a kernel launch. The
/// order of sums over the bodies must not depend on it.
constexpr bool is_loop_faster(std::size_t bodies) {
  constexpr std::size_t most = 64;
  return bodies_on_host && bodies <= most;
}

/// for_each() over bodies, for short calls: a few hundred operations at most. Few bodies in host
/// memory are visited by the calling thread without a kernel launch, which profiling tools do not
/// see.
template <class Space, class Body>
void for_each_body(Space const& space, std::string_view label, std::size_t count,
                   Body const& body) {
  if constexpr (bodies_on_host) {
    if (is_loop_faster(count)) {
      for (std::size_t i = 0; i < count; ++i) body(i);
      return;
    }
  }
  for_each(space, std::string(label), count, body);
}

}  // namespace apsis
