// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace apsis {

/// The processor or accelerator that kernels run on, by its own name. Kokkos must be initialised.
std::string device_name();

/// Which accelerator of its host that is: its address on the bus. Empty if kernels run on
/// processors. Kokkos must be initialised.
std::string device_address();

/// The name of this machine in its network.
std::string host_name();

/// Memory that holds the bodies [bytes]: the accelerator's, if Kokkos is initialised on one.
std::optional<std::uint64_t> device_memory();

/// Memory of the host that this process may use [bytes]: the machine's, or the limit of its control
/// groups or of the shell (ulimit -v) if that is less.
std::uint64_t host_memory();

/// Threads that run kernels on the host side of this backend. Kokkos must be initialised.
int host_threads();

/// Host threads that this process may use at once.
int available_threads();

}  // namespace apsis
