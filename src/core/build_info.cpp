// SPDX-License-Identifier: Apache-2.0
#include "apsis_build_info.hpp"
#include <apsis/core/build_info.hpp>
#include <apsis/core/simd.hpp>

#include <Kokkos_Macros.hpp>

namespace apsis {

BuildInfo build_info() {
  auto const kokkos = std::to_string(KOKKOS_VERSION / 10000) + "." +
                      std::to_string(KOKKOS_VERSION / 100 % 100) + "." +
                      std::to_string(KOKKOS_VERSION % 100);
  std::string compiler = APSIS_COMPILER;
#if defined(__CUDACC_VER_MAJOR__)
  compiler += " with nvcc " + std::to_string(__CUDACC_VER_MAJOR__) + "." +
              std::to_string(__CUDACC_VER_MINOR__);
#endif
  return {APSIS_VERSION, APSIS_GIT, APSIS_BACKEND_NAME,     APSIS_BUILD_TYPE,
          compiler,      kokkos,    simd::instruction_set()};
}

}  // namespace apsis
