// SPDX-License-Identifier: Apache-2.0
#include "apsis/core/build_info.hpp"

#include "apsis_build_info.hpp"
#include <apsis/core/backend.hpp>

#include <Kokkos_Macros.hpp>

namespace apsis {
namespace {

/// Instruction set of the kernels.
constexpr char const* instruction_set() {
#if APSIS_ON_GPU
  return "device";
#elif defined(__AVX512F__)
  return "AVX-512";
#elif defined(__AVX2__) && defined(__FMA__)
  return "AVX2";
#elif defined(__AVX__)
  return "AVX";
#elif defined(__SSE2__)
  return "SSE2";
#elif defined(__ARM_NEON)
  return "NEON";
#else
  return "scalar";
#endif
}

}  // namespace

BuildInfo build_info() {
  auto const kokkos = std::to_string(KOKKOS_VERSION / 10000) + "." +
                      std::to_string(KOKKOS_VERSION / 100 % 100) + "." +
                      std::to_string(KOKKOS_VERSION % 100);
  std::string compiler = APSIS_COMPILER;
#if defined(__CUDACC_VER_MAJOR__)
  compiler += " with nvcc " + std::to_string(__CUDACC_VER_MAJOR__) + "." +
              std::to_string(__CUDACC_VER_MINOR__);
#endif
  return {APSIS_VERSION, APSIS_GIT, APSIS_BACKEND_NAME, APSIS_BUILD_TYPE,
          compiler,      kokkos,    instruction_set()};
}

}  // namespace apsis
