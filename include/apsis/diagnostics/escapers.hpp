// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <apsis/bodies/host_bodies.hpp>

#include <cstdint>
#include <vector>

namespace apsis::diagnostics {

/// Bodies that nothing holds.
struct Escapers {
  std::uint64_t count = 0;
  double mass = 0.0;  ///< [mass]
};

/// Bodies of positive energy, |v - mean|^2 / 2 + phi > 0, wherever they are. Velocities are taken
/// about the centre of mass of all bodies, escapers included; `potential` is that of
/// forces::Solver::potential (N values). O(N), on the host.
Escapers escapers(HostBodies const& bodies, std::vector<double> const& potential);

}  // namespace apsis::diagnostics
