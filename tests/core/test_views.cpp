// SPDX-License-Identifier: Apache-2.0
#include "core/percentile.hpp"
#include <apsis/core/views.hpp>

#include <doctest/doctest.h>

#include <array>

using namespace apsis;

TEST_CASE("views grow, fit, and keep an allocation that fits") {
  ExecutionSpace const space;
  Kokkos::View<double* [3], Kokkos::LayoutLeft, MemorySpace> view;
  grow(space, view, "apsis::testing::view", 5);
  REQUIRE(view.extent(0) == 5);
  auto const* const before = view.data();
  grow(space, view, "apsis::testing::view", 4);
  fit(space, view, "apsis::testing::view", 5);
  CHECK(view.extent(0) == 5);
  CHECK(view.data() == before);
  fit(space, view, "apsis::testing::view", 4);
  CHECK(view.extent(0) == 4);
  Kokkos::View<float**, Kokkos::LayoutRight, MemorySpace> table;
  grow(space, table, "apsis::testing::table", 2, 7);
  CHECK(table.extent(1) == 7);
}

TEST_CASE("values are copied to a view and back") {
  ExecutionSpace const space;
  std::array<int, 3> const values{3, 1, 2};
  auto const view = copy_to_device(space, values, "apsis::testing::values");
  std::vector<int> host(3);
  Kokkos::deep_copy(space, unmanaged(host), view);
  space.fence();
  CHECK(host == std::vector<int>{3, 1, 2});
  CHECK(copy_to_device(space, std::vector<int>(), "apsis::testing::values").extent(0) == 0);
}

TEST_CASE("the bytes of a vector are those of its three columns") {
  Kokkos::View<float* [3], Kokkos::LayoutLeft, MemorySpace> const vectors("apsis::testing::v", 8);
  Kokkos::View<std::uint64_t*, MemorySpace> const column("apsis::testing::column", 8);
  std::vector<std::span<std::byte const>> bytes;
  append_bytes(bytes, vectors, 5);
  append_bytes(bytes, column, 6);
  REQUIRE(bytes.size() == 4);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    CHECK(bytes[axis].data() == reinterpret_cast<std::byte const*>(vectors.data() + 8 * axis));
    CHECK(bytes[axis].size() == 5 * sizeof(float));
  }
  CHECK(bytes[3].size() == 6 * sizeof(std::uint64_t));
}

TEST_CASE("the upper median of an even number of values is the larger one in the middle") {
  std::vector<double> even{4.0, 1.0, 3.0, 2.0}, odd{5.0, 1.0, 3.0};
  CHECK(upper_median(even) == 3.0);
  CHECK(upper_median(odd) == 3.0);
}
