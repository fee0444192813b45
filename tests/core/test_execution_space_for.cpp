// SPDX-License-Identifier: Apache-2.0
#include "core/execution_space_for.hpp"
#include "support/suites.hpp"
#include <apsis/core/backend.hpp>
#include <apsis/core/machine.hpp>

#include <doctest/doctest.h>

#if defined(KOKKOS_ENABLE_OPENMP)
#include <omp.h>
#endif

using namespace apsis;

namespace {
/// Number of threads of a kernel on this instance; nothing on a device.
std::optional<int> count_threads([[maybe_unused]] ExecutionSpace const& space) {
#if defined(KOKKOS_ENABLE_OPENMP) && !APSIS_ON_GPU
  int most = 0;
  Kokkos::parallel_reduce(
      "count_threads", Kokkos::RangePolicy<ExecutionSpace>(space, 0, 1000),
      [](int, int& threads) { threads = std::max(threads, omp_get_num_threads()); },
      Kokkos::Max<int>(most));
  space.fence();
  return most;
#else
  return std::nullopt;
#endif
}
}  // namespace

TEST_CASE("few bodies run on one host thread and many on all, as threads_for() reports" *
          testing::thread_counts) {
  for (std::size_t const bodies : {0, 2, 63, 64, 1000000}) {
    for (bool const all_threads : {false, true}) {
      CAPTURE(bodies);
      auto const threads = count_threads(execution_space_for(bodies, all_threads));
      if (threads) CHECK(*threads == threads_for(bodies, all_threads));
      bool const needs_one = threads && bodies < 64 && !all_threads;
      CHECK(threads_for(bodies, all_threads) == (needs_one ? 1 : host_threads()));
    }
  }
}
