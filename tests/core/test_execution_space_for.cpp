// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/execution_space_for.hpp>
#include <apsis/core/machine.hpp>

#include <doctest/doctest.h>

#if defined(KOKKOS_ENABLE_OPENMP)
#include <omp.h>
#endif

using namespace apsis;

namespace {
/// Threads that a kernel on such an instance sees; nothing on a device.
std::optional<int> seen_threads([[maybe_unused]] ExecutionSpace const& space) {
#if defined(KOKKOS_ENABLE_OPENMP) && !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
  int most = 0;
  Kokkos::parallel_reduce(
      "seen", Kokkos::RangePolicy<ExecutionSpace>(space, 0, 1000),
      [](int, int& threads) { threads = std::max(threads, omp_get_num_threads()); },
      Kokkos::Max<int>(most));
  space.fence();
  return most;
#else
  return std::nullopt;
#endif
}
}  // namespace

TEST_CASE("on host threads few bodies run on one of them, many on all, and it is known how many") {
  for (std::size_t const bodies : {0, 2, 63, 64, 1000000}) {
    for (bool const all : {false, true}) {
      CAPTURE(bodies);
      auto const seen = seen_threads(execution_space_for(bodies, all));
      if (seen) CHECK(*seen == threads_for(bodies, all));
      CHECK(threads_for(bodies, all) == (seen && bodies < 64 && !all ? 1 : host_threads()));
    }
  }
}
