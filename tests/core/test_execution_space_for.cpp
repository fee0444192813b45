// SPDX-License-Identifier: Apache-2.0
#include <apsis/core/execution_space_for.hpp>

#include <doctest/doctest.h>

#include <type_traits>

using namespace apsis;

TEST_CASE("on host threads few bodies run on one of them, many on all") {
  int const all = ExecutionSpace().concurrency();
  CHECK(execution_space_for(1000000).concurrency() == all);
  bool const on_host = std::is_same_v<MemorySpace, Kokkos::HostSpace>;
  for (std::size_t const bodies : {0, 2, 63}) {
    CHECK(execution_space_for(bodies).concurrency() == (on_host ? 1 : all));
  }
}
