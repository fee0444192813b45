// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

namespace apsis {

struct KokkosOptions {
  /// Number of host threads; default: KOKKOS_NUM_THREADS or OMP_NUM_THREADS, otherwise
  /// `default_threads`.
  std::optional<int> threads{};
  std::optional<int> default_threads{};  ///< default: all that this process may use
  /// Whether each thread is bound to one processor, if there are as many threads as processors.
  /// For programs that do nothing else; a library leaves the caller's threads alone.
  bool binds_threads = false;
};

/// Initialises Kokkos without messages, and finalises it when the last owner of the result is
/// destroyed. All Views must be gone by then; a process that cannot know that keeps the result for
/// ever. If Kokkos is initialised already, by this function or by the program, returns null and
/// changes nothing.
///
/// Throws a usage error for environment variables and numbers of threads that Kokkos or OpenMP do
/// not accept, for another number of threads than Kokkos has already, and if Kokkos was finalised;
/// an internal error if no device can be used or the threads cannot be started.
std::shared_ptr<void> start_kokkos(KokkosOptions const& options = {});

}  // namespace apsis
