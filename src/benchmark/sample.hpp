// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench.hpp"
#include <apsis/bodies/bodies.hpp>
#include <apsis/bodies/host_bodies.hpp>

#include <memory>
#include <vector>

namespace apsis::benchmark {

/// Returns a Plummer sphere in Henon units, the bodies of `bench` and `compare`.
HostBodies sample(std::size_t count);

/// Bodies in the memory of a measurement, and owners of that memory.
template <class Stored>
struct PlacedBodies {
  Bodies<Stored> bodies;
  std::vector<std::shared_ptr<void>> owners;
};

/// Copies bodies to memory that kernels can read: device memory, or pinned host memory that the
/// device reads over the bus, where has_host_pinned().
template <class Stored>
PlacedBodies<Stored> place_bodies(ExecutionSpace const& space, HostBodies const& host,
                                  Memory memory);

}  // namespace apsis::benchmark
