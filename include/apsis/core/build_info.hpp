// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace apsis {

/// What this executable was made from and with.
struct BuildInfo {
  std::string version;     ///< of Apsis
  std::string git;         ///< commit, with "-dirty" if the tree had changes
  std::string backend;     ///< serial, openmp, cuda or hip
  std::string build_type;  ///< CMake's
  std::string compiler;    ///< name and version
  std::string kokkos;      ///< version of Kokkos
  std::string simd;        ///< vector instructions of the host kernels
};

BuildInfo build_info();

}  // namespace apsis
