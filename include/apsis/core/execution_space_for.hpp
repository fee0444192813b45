// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/execution.hpp>

#include <cstddef>

namespace apsis {

/// The instance to run so many bodies on. On host threads fewer than 64 bodies get one thread: to
/// start more takes longer than what they would share, and on a busy machine a thousand times as
/// long; `all_threads` takes all that there are. Results are the same on any number of threads.
ExecutionSpace execution_space_for(std::size_t bodies, bool all_threads = false);

/// The host threads that it has. (Not what it says of its concurrency, which several releases of
/// Kokkos give for all instances alike.)
int threads_for(std::size_t bodies, bool all_threads = false);

}  // namespace apsis
