// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/error.hpp>

#include <cstddef>
#include <vector>

namespace apsis::driver {

struct Configuration;

/// Adds a problem if this rank has no memory for its `own_count` of the `total` bodies that ranks
/// share: its own columns, the columns gathered from all ranks, and the workspace of the solver.
void check_memory_of_rank(Configuration const& run, std::size_t own_count, std::size_t total,
                          std::vector<Problem>& problems);

}  // namespace apsis::driver
