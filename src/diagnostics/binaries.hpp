// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>
#include <apsis/core/execution.hpp>
#include <apsis/core/poll.hpp>

#include <cstddef>
#include <vector>

namespace apsis::diagnostics {

/// A bound orbit: of two bodies, of a binary and a third body, or of two binaries.
struct BoundOrbit {
  /// Indices of the bodies: two, three or four; those of a binary come first and are adjacent.
  std::vector<std::size_t> members;
  double semi_major_axis;  ///< a [length]
  double eccentricity;
  double period;    ///< [time]
  double energy;    ///< mutual energy mu v^2 / 2 - G m1 m2 / r [energy]; negative
  double hardness;  ///< -energy / mean kinetic energy of the others; NaN if there are none

  /// Whether the orbit is hard: encounters with the others make it tighter on average.
  bool is_hard() const { return hardness > 1.0; }
};

/// Returns the binaries, and then the triples and quadruples, each in the order of the first
/// member.
///
/// A binary is a pair of massive bodies, each of which is the nearest one of the other, with
/// negative mutual energy. Each binary is then replaced by its centre of mass. A pair of a binary
/// and a body, or of two binaries, is hierarchical if each is the nearest one of the other, the
/// mutual energy is negative, and the pericentre of the orbit is outside the semi-major axis of
/// each binary in it. Orbits are those of gravity without softening.
///
/// An orbit is hard if its binding energy exceeds the mean kinetic energy <m v^2 / 2> of the
/// others, about the centre of mass of all; each binary counts as one body there (Heggie 1975,
/// MNRAS 173, 729). Bits do not depend on the number of threads. Fences. O(N log N).
std::vector<BoundOrbit> bound_orbits(ExecutionSpace const& space, HostBodies const& bodies,
                                     double G, Poll const& poll = {});

}  // namespace apsis::diagnostics
