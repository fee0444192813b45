// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "benchmark/textbook.hpp"
#include <apsis/core/backend.hpp>

#include <cmath>

/// In an anonymous namespace, since each source compiles it with its own options.
namespace apsis::benchmark {
namespace {

template <bool with_jerk, class Real>
void textbook_loop(ExecutionSpace const& space, Bodies<Real> const& bodies, double softening,
                   forces::BodyRange targets, VectorColumns<Real> const& jerk) {
  if constexpr (has_textbook) {
    std::size_t const count = bodies.size();
    auto const column = [](VectorColumns<Real> const& columns, int axis) -> Real const* {
      return columns.data() + static_cast<std::size_t>(axis) * columns.stride(1);
    };
    Real const* const x = column(bodies.position, 0);
    Real const* const y = column(bodies.position, 1);
    Real const* const z = column(bodies.position, 2);
    Real const* const u = column(bodies.velocity, 0);
    Real const* const v = column(bodies.velocity, 1);
    Real const* const w = column(bodies.velocity, 2);
    Real const* const m = bodies.mass.data();
    auto const acceleration = bodies.acceleration;
    Real const eps_squared = static_cast<Real>(softening * softening);
    Kokkos::parallel_for(
        "apsis::benchmark::textbook",
        index_range(space, targets.first, targets.first + targets.count), [=](std::size_t i) {
          Real ax = 0, ay = 0, az = 0, jx = 0, jy = 0, jz = 0;
          for (std::size_t j = 0; j < count; ++j) {
            Real const dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            Real const r_squared = dx * dx + dy * dy + dz * dz + eps_squared;
            Real const inverse = Real(1) / std::sqrt(r_squared);
            Real const inverse_squared = inverse * inverse;
            Real const f = m[j] * inverse * inverse_squared;
            ax += f * dx;
            ay += f * dy;
            az += f * dz;
            if constexpr (with_jerk) {
              Real const du = u[j] - u[i], dv = v[j] - v[i], dw = w[j] - w[i];
              Real const alpha = Real(3) * (dx * du + dy * dv + dz * dw) * inverse_squared;
              jx += f * (du - alpha * dx);
              jy += f * (dv - alpha * dy);
              jz += f * (dw - alpha * dz);
            }
          }
          acceleration(i, 0) = ax;
          acceleration(i, 1) = ay;
          acceleration(i, 2) = az;
          if constexpr (with_jerk) {
            jerk(i, 0) = jx;
            jerk(i, 1) = jy;
            jerk(i, 2) = jz;
          }
        });
  }
}

}  // namespace

template <bool math_errno, class Real>
void textbook(ExecutionSpace const& space, Bodies<Real> const& bodies, double softening,
              forces::BodyRange targets, VectorColumns<Real> const& jerk) {
  auto const loop = jerk.is_allocated() ? textbook_loop<true, Real> : textbook_loop<false, Real>;
  loop(space, bodies, softening, targets, jerk);
}

}  // namespace apsis::benchmark
