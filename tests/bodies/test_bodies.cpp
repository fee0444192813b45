// SPDX-License-Identifier: Apache-2.0
#include "support/sample_bodies.hpp"
#include <apsis/bodies/read_columns.hpp>
#include <apsis/bodies/transfer.hpp>
#include <apsis/core/backend.hpp>

#include <doctest/doctest.h>

using namespace apsis;

TEST_CASE("bodies are unchanged after a copy to the device and back") {
  ExecutionSpace const space;
  for (std::size_t const count : {0, 1, 2, 257}) {
    auto const host = testing::sample_bodies(count);
    auto const back = to_host(space, to_device<double>(space, host));
    CHECK(back.mass == host.mass);
    CHECK(back.id == host.id);
    CHECK((back.position == host.position));
    CHECK((back.velocity == host.velocity));
    auto const single = to_host(space, to_device<float>(space, host));
    CHECK((single.position == testing::rounded_to_single(host).position));
  }
}

TEST_CASE("vectors are three contiguous columns") {
  auto const bodies = allocate_bodies<double>(ExecutionSpace(), 5);
  CHECK(bodies.position.stride(0) == 1);
  CHECK(bodies.position.stride(1) == 5);
  CHECK(bodies.size() == 5);
}

TEST_CASE("the stated memory per body equals that of the Views") {
  constexpr std::size_t count = 1000;
  auto const b = allocate_bodies<float>(ExecutionSpace(), count);
  std::size_t const views =
      (b.position.span() + b.velocity.span() + b.acceleration.span() + b.mass.span()) *
          sizeof(float) +
      b.id.span() * sizeof(std::uint64_t);
  CHECK(views + count * sizeof(double) == count * device_bytes_per_body<float>());
}

namespace {

/// Copies masses and positions by a kernel that reads either precision.
HostBodies read_by_kernel(ExecutionSpace const& space, ReadBodies const& bodies) {
  auto copy = allocate_bodies<double>(space, bodies.size());
  auto const mass = copy.mass;
  auto const position = copy.position;
  for_each(
      space, "apsis::tests::read", bodies.size(), KOKKOS_LAMBDA(std::size_t i) {
        auto const x = row(bodies.position, i);
        mass(i) = bodies.mass(i);
        position(i, 0) = x.x;
        position(i, 1) = x.y;
        position(i, 2) = x.z;
      });
  return to_host(space, copy);
}

template <class Real>
void check_read(HostBodies const& host) {
  ExecutionSpace const space;
  auto const bodies = to_device<Real>(space, host);
  auto const expected = to_host(space, bodies), read = read_by_kernel(space, bodies);
  CHECK(read.mass == expected.mass);
  CHECK((read.position == expected.position));
}

}  // namespace

TEST_CASE("bodies of either precision are read as double") {
  for (std::size_t const count : {0, 1, 70}) {
    check_read<float>(testing::sample_bodies(count));
    check_read<double>(testing::sample_bodies(count));
  }
}
