// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
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

/// Describes the executable in one line: version, commit, backend, compiler and Kokkos.
std::string this_executable();

/// Name of the processor or accelerator that kernels run on, as it reports itself. Kokkos must be
/// initialised.
std::string device_name();

/// PCI bus address of the accelerator that kernels run on; empty if kernels run on processors.
/// Kokkos must be initialised.
std::string device_address();

/// Network name of this machine.
std::string host_name();

/// Memory of the accelerator [bytes]. Empty if kernels run on processors or Kokkos is not
/// initialised.
std::optional<std::uint64_t> device_memory();

/// Host memory that this process may use [bytes]: the least of the machine's memory, the limits of
/// its control groups and the limit of the shell (ulimit -v).
std::uint64_t host_memory();

/// Number of threads of the default host execution space. Kokkos must be initialised.
int host_threads();

/// Number of hardware threads that the affinity mask of this process allows.
int available_threads();

}  // namespace apsis
