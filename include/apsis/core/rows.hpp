// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/communicator.hpp>

#include <cstddef>
#include <span>
#include <vector>

/// Tables whose rows the processes of a run have in their order: each has some rows of every
/// column, stored column by column. All processes make the same calls. Cost: each row travels once.
namespace apsis {

/// The whole table on the first process, nothing on the others.
std::vector<std::byte> collect_rows(Communicator const& with, std::span<std::byte const> own,
                                    std::size_t columns);

/// Fills the rows of each process from the whole table, which the first process has.
void distribute_rows(Communicator const& with, std::span<std::byte const> all,
                     std::span<std::byte> own, std::size_t columns);

/// What the first process has, on all of them.
std::vector<std::byte> of_the_first(Communicator const& with, std::span<std::byte const> own);

}  // namespace apsis
