// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>
#include <apsis/bodies/host_bodies.hpp>
#include <apsis/bodies/read_columns.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/core/reductions.hpp>

#include <cstddef>

namespace apsis {

/// Range first ... first + count - 1 of the bodies of a run that one rank holds.
struct Share {
  std::size_t first;
  std::size_t count;
};

/// Returns the range of bodies of rank `rank` of `size`. Ranges are contiguous and in the order of
/// ranks. They consist of whole blocks of sums in fixed order, so these sums are bitwise
/// independent of the number of ranks; sizes differ by at most one block.
constexpr Share share_of(std::size_t total, std::size_t rank, std::size_t size) {
  std::size_t const blocks = (total + fixed_sum_block - 1) / fixed_sum_block;
  auto const begin = [&](std::size_t r) {
    std::size_t const first = blocks * r / size * fixed_sum_block;
    return first < total ? first : total;
  };
  return {begin(rank), begin(rank + 1) - begin(rank)};
}

/// Copies bodies to the device and rounds to `Real`; accelerations are 0. Fences `space`.
template <class Real>
Bodies<Real> to_device(ExecutionSpace const& space, HostBodies const& host);

/// Copies mass, position, velocity and id to the host. Fences `space`.
HostBodies to_host(ExecutionSpace const& space, ReadBodies const& bodies);

/// Copies a column to the host. Fences `space`.
std::vector<double> values_on_host(ExecutionSpace const& space, ReadColumns const& column);

/// Copies the ids to the host. Fences `space`.
std::vector<std::uint64_t> ids_on_host(ExecutionSpace const& space, ReadBodies const& bodies);

/// Copies the three columns of a vector to the host. Fences `space`.
std::vector<Vec3<double>> vectors_on_host(ExecutionSpace const& space, ReadColumns const& columns);

}  // namespace apsis

/// Gathers the bodies of all ranks on rank 0 and scatters them, for work that rank 0 does alone.
/// Collective; with one rank nothing is copied. Cost: each body is sent once; O(N) memory on rank
/// 0.
namespace apsis {

/// Returns all bodies, with their accelerations, on rank 0; no rows on the other ranks. Fences.
template <class Real>
Bodies<Real> gather_bodies(Context const& context, Bodies<Real> const& local);

/// Returns a column with the rows of all ranks on rank 0; no rows on the other ranks. Fences.
template <class Value>
Column<Value> gather_column(Context const& context, Column<Value> const& local);

/// Returns the bodies of this rank out of the `total` bodies `global` that rank 0 has; without
/// species.
HostBodies scatter_bodies(Context const& context, HostBodies const& global, std::size_t total);

}  // namespace apsis
