// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/communicator.hpp>

#include <cstddef>
#include <span>
#include <vector>

/// Tables with rows distributed over the ranks in rank order. Each rank holds its rows of
/// every column, stored column by column. All functions are collective. Cost: each row is sent
/// once.
namespace apsis {

/// Returns the whole table on rank 0, and an empty table on the other ranks.
std::vector<std::byte> gather_rows(Communicator const& communicator,
                                   std::span<std::byte const> local, std::size_t columns);

/// Distributes `table`, which rank 0 holds, over the rows `local` of each rank.
void scatter_rows(Communicator const& communicator, std::span<std::byte const> table,
                  std::span<std::byte> local, std::size_t columns);

/// Returns the bytes of rank 0 on all ranks. The argument is ignored on the other ranks.
std::vector<std::byte> broadcast(Communicator const& communicator,
                                 std::span<std::byte const> bytes);

}  // namespace apsis
