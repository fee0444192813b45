// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/vec3.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace apsis::driver {

/// Pairs of bodies that are no further apart than `least` [length] along any axis. In the order by
/// x, y, z and index each body comes with the first such one after it; the first `most` pairs of
/// that order. O(N log N), whatever the arrangement.
std::vector<std::pair<std::size_t, std::size_t>> bodies_in_one_place(
    std::vector<Vec3<double>> const& places, double least, std::size_t most);

}  // namespace apsis::driver
