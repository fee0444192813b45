// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/core/execution.hpp>

namespace apsis::forces::fmm {

/// Position and mass of a body in one piece of memory, for random access with a single load.
template <class Stored>
struct alignas(4 * sizeof(Stored)) PackedBody {
  Stored position[3], mass;
};

template <class Stored>
using PackedBodies = Kokkos::View<PackedBody<Stored>*, MemorySpace>;

}  // namespace apsis::forces::fmm
