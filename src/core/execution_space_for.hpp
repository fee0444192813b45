// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/execution.hpp>

#include <cstddef>

namespace apsis {

/// Execution space instance for a run of `bodies` bodies. On host threads, fewer than 64 bodies use
/// one thread: starting more takes longer than the work they would share, and a thousand times as
/// long on a busy machine. `all_threads` always uses all threads. Results do not depend on the
/// number of threads.
ExecutionSpace execution_space_for(std::size_t bodies, bool all_threads = false);

/// Number of host threads of that instance. (Its concurrency() is not reliable: several releases of
/// Kokkos return the same number for all instances.)
int threads_for(std::size_t bodies, bool all_threads = false);

}  // namespace apsis
