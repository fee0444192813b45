// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forces/sweep.hpp"
#include <apsis/core/backend.hpp>

namespace apsis::forces {

/// Evaluates each pair once (Newton's third law) and adds its force to both bodies with atomics:
/// half the arithmetic, at the price of three atomic additions per pair. The additions come in any
/// order, so the last bits differ from run to run. Body i interacts with bodies i + 1 ... i + N/2,
/// cyclically: every thread has the same work, and neighbours add to neighbouring bodies.
template <class Number, template <class> class Softening>
struct PairLoop {
  using Law = GravityLaw<Number, Softening, Wants::acceleration>;
  using Real = typename Number::Real;
  using Stored = typename Number::Stored;

  Law law;
  std::size_t bodies;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    auto const body = law.source(i);
    typename Law::template Target<Real> target;
    law.set(target, 0, i);
    Stored x{}, y{}, z{};
    std::size_t const half = bodies / 2;
    for (std::size_t k = 1; k <= half; ++k) {
      // With an even number of bodies, opposite bodies interact from one side only.
      if (2 * k == bodies && i >= half) break;
      std::size_t const j = i + k < bodies ? i + k : i + k - bodies;
      auto const source = law.source(j);
      auto const r = separation(target, source, law.softening.offset());
      Real const target_factor = law.softening.acceleration_factor(source.m, r);
      Real const source_factor = law.softening.acceleration_factor(body.m, r);
      x += target_factor * r.x;
      y += target_factor * r.y;
      z += target_factor * r.z;
      add(j, -source_factor * r.x, -source_factor * r.y, -source_factor * r.z);
    }
    add(i, x, y, z);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void add(std::size_t i, Stored x, Stored y, Stored z) const {
    auto const G = static_cast<Stored>(law.G);
    Kokkos::atomic_add(&law.acceleration(i, 0), G * x);
    Kokkos::atomic_add(&law.acceleration(i, 1), G * y);
    Kokkos::atomic_add(&law.acceleration(i, 2), G * z);
  }
};

template <class Number, template <class> class Softening>
void run_pair_loop(Evaluation<Number> const& evaluation) {
  using Stored = typename Number::Stored;
  PairLoop<Number, Softening> const loop{
      make_law<Number, Softening, Wants::acceleration>(evaluation), evaluation.sources.size()};
  auto const range = evaluation.targets.rows.bounds();
  Kokkos::deep_copy(evaluation.space, evaluation.output.acceleration, Stored(0));
  Kokkos::parallel_for("apsis::forces::direct::accelerate_pairs",
                       index_range(evaluation.space, range.first, range.first + range.count), loop);
}

/// Evaluates all bodies, since a pair has two targets. If only some are requested, their share of
/// the pairs is evaluated without a result, for timing.
template <class Number>
void evaluate_pairs(Evaluation<Number> const& evaluation, Workspace<Number>& /*workspace*/) {
  APSIS_EXPECT(evaluation.output.wants == Wants::acceleration,
               "the pair loop evaluates accelerations only");
  if (evaluation.gravity.softening > 0) {
    run_pair_loop<Number, PlummerSoftening>(evaluation);
  } else {
    run_pair_loop<Number, NoSoftening>(evaluation);
  }
}

}  // namespace apsis::forces
