// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace apsis {

/// Version, commit, compiler and libraries of this executable.
struct BuildInfo {
  std::string version;     ///< version of Apsis
  std::string git;         ///< commit, with "-dirty" if the tree had changes
  std::string backend;     ///< serial, openmp, cuda or hip
  std::string build_type;  ///< CMAKE_BUILD_TYPE
  std::string compiler;    ///< name and version
  std::string kokkos;      ///< version of Kokkos
  std::string simd;        ///< vector instruction set of the host kernels
};

BuildInfo build_info();

}  // namespace apsis
