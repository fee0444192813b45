// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "textbook.hpp"

#include <cmath>

/// Each file that includes this compiles it with its own options, hence the anonymous namespace.
namespace apsis::benchmark {
namespace {

template <class Real>
void textbook_loop(ExecutionSpace const& space, Bodies<Real> const& bodies, double softening,
                   forces::BodyRange targets) {
  if constexpr (has_textbook) {
    std::size_t const count = bodies.size();
    Real const* const x = bodies.position.data();
    Real const* const y = x + bodies.position.stride(1);
    Real const* const z = y + bodies.position.stride(1);
    Real const* const m = bodies.mass.data();
    auto const acceleration = bodies.acceleration;
    Real const eps_squared = static_cast<Real>(softening * softening);
    Kokkos::parallel_for("apsis::benchmark::textbook",
                         Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::size_t>>(
                             space, targets.first, targets.first + targets.count),
                         [=](std::size_t i) {
                           Real ax = 0, ay = 0, az = 0;
                           for (std::size_t j = 0; j < count; ++j) {
                             Real const dx = x[j] - x[i];
                             Real const dy = y[j] - y[i];
                             Real const dz = z[j] - z[i];
                             Real const r_squared = dx * dx + dy * dy + dz * dz + eps_squared;
                             Real const inverse = Real(1) / std::sqrt(r_squared);
                             Real const f = m[j] * inverse * inverse * inverse;
                             ax += f * dx;
                             ay += f * dy;
                             az += f * dz;
                           }
                           acceleration(i, 0) = ax;
                           acceleration(i, 1) = ay;
                           acceleration(i, 2) = az;
                         });
  }
}

}  // namespace
}  // namespace apsis::benchmark
