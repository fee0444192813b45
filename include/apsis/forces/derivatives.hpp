// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/bodies.hpp>

namespace apsis::forces {

/// Numbers of bodies, in rising order. An empty list of targets stands for all bodies.
using BodyList = Kokkos::View<std::size_t*, MemorySpace>;

/// Time derivatives of the motion of some of the bodies; row k is the k-th of the targets'. Without
/// a snap it is not found.
template <class Stored>
struct Derivatives {
  VectorColumns<Stored> acceleration;  ///< [length / time^2]
  VectorColumns<Stored> jerk;          ///< [length / time^3]
  VectorColumns<Stored> snap;          ///< [length / time^4]
};

}  // namespace apsis::forces
