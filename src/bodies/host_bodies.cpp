// SPDX-License-Identifier: Apache-2.0
#include <apsis/bodies/host_bodies.hpp>

#include <numeric>

namespace apsis {

HostBodies::HostBodies(std::size_t count)
    : mass(count), position(count), velocity(count), id(count) {
  std::iota(id.begin(), id.end(), std::uint64_t{0});
}

}  // namespace apsis
