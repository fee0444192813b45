// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/benchmark/bench.hpp>
#include <apsis/bodies/bodies.hpp>
#include <apsis/bodies/host_bodies.hpp>

#include <memory>
#include <vector>

namespace apsis::benchmark {

/// A Plummer sphere in Henon units: what `bench` and `compare` work on.
HostBodies sample(std::size_t count);

/// Bodies, and what owns their memory if their Views do not.
template <class Stored>
struct Placed {
  Bodies<Stored> bodies;
  std::vector<std::shared_ptr<void>> owners;
};

/// Copies bodies to where kernels can read them: the device's memory, or the host's, pinned, that
/// the device reads over the bus, where has_host_pinned().
template <class Stored>
Placed<Stored> placed(ExecutionSpace const& space, HostBodies const& host, Memory memory);

}  // namespace apsis::benchmark
